package front

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// beat is a ticker of the kernel's. For one of the runtime's, the process wakes up to five times at each tick: its
// monitor thread does too, and the runtime waits in whole milliseconds.
type beat struct {
	file *os.File
	raw  syscall.RawConn
}

func newBeat(interval time.Duration) (*beat, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	file := os.NewFile(uintptr(fd), "beat")
	each := unix.NsecToTimespec(interval.Nanoseconds())
	err = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: each, Value: each}, nil)
	if err == nil {
		var raw syscall.RawConn
		if raw, err = file.SyscallConn(); err == nil {
			return &beat{file, raw}, nil
		}
	}
	file.Close()
	return nil, fmt.Errorf("timer: %w", err)
}

// wait returns at the next tick; false once the beat is stopped. Ticks that nobody waited for are one.
func (b *beat) wait() bool {
	var missed [8]byte
	errno := syscall.Errno(0)
	err := b.raw.Read(func(fd uintptr) bool {
		_, errno = transfer(syscall.SYS_READ, fd, missed[:])
		return errno != syscall.EAGAIN
	})
	return err == nil && errno == 0
}

func (b *beat) stop() { b.file.Close() }
