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

// ticker is a timer of the kernel. A ticker of the Go runtime wakes the process up to five times per tick: its monitor
// thread wakes as well, and the runtime waits in whole milliseconds.
type ticker struct {
	file *os.File
	raw  syscall.RawConn
}

func newTicker(interval time.Duration) (*ticker, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	file := os.NewFile(uintptr(fd), "ticker")
	raw, err := file.SyscallConn()
	if err == nil {
		t := &ticker{file, raw}
		if err = t.setInterval(interval); err == nil {
			return t, nil
		}
	}
	file.Close()
	return nil, fmt.Errorf("timer: %w", err)
}

// setInterval sets the interval; the next tick comes after it.
func (t *ticker) setInterval(interval time.Duration) error {
	spec := unix.NsecToTimespec(interval.Nanoseconds())
	var failed error
	err := t.raw.Control(func(fd uintptr) {
		failed = unix.TimerfdSettime(int(fd), 0, &unix.ItimerSpec{Interval: spec, Value: spec}, nil)
	})
	return cmp.Or(err, failed)
}

// wait returns at the next tick, with the number of ticks since the last call; 0 once the ticker is stopped.
func (t *ticker) wait() int64 {
	var ticks [8]byte
	errno := syscall.Errno(0)
	err := t.raw.Read(func(fd uintptr) bool {
		_, errno = transfer(syscall.SYS_READ, fd, ticks[:])
		return errno != syscall.EAGAIN
	})
	if err != nil || errno != 0 {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(ticks[:]))
}

func (t *ticker) stop() { t.file.Close() }
