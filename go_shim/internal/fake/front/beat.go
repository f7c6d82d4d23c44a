package front

import (
	"cmp"
	"encoding/binary"
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
	raw, err := file.SyscallConn()
	if err == nil {
		b := &beat{file, raw}
		if err = b.each(interval); err == nil {
			return b, nil
		}
	}
	file.Close()
	return nil, fmt.Errorf("timer: %w", err)
}

// each sets the interval; the next tick comes after it.
func (b *beat) each(interval time.Duration) error {
	each := unix.NsecToTimespec(interval.Nanoseconds())
	var failed error
	err := b.raw.Control(func(fd uintptr) {
		failed = unix.TimerfdSettime(int(fd), 0, &unix.ItimerSpec{Interval: each, Value: each}, nil)
	})
	return cmp.Or(err, failed)
}

// wait returns at the next tick, with how many there were since the last one that was waited for; 0 once the beat is
// stopped.
func (b *beat) wait() int64 {
	var ticks [8]byte
	errno := syscall.Errno(0)
	err := b.raw.Read(func(fd uintptr) bool {
		_, errno = transfer(syscall.SYS_READ, fd, ticks[:])
		return errno != syscall.EAGAIN
	})
	if err != nil || errno != 0 {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(ticks[:]))
}

func (b *beat) stop() { b.file.Close() }
