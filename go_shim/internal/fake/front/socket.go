package front

import (
	"io"
	"net"
	"syscall"
	"unsafe"
)

// socket reads and writes a client's connection by system calls that the Go runtime does not know of; they cannot
// block. The first known system call after an idle moment wakes the runtime's monitor thread, which then polls every 20
// us until the process is idle again: a quarter of the CPU of brokers with 20 requests per second.
type socket struct {
	net.Conn
	raw syscall.RawConn
}

// newSocket wraps a connection accepted by a TCP listener.
func newSocket(conn net.Conn) (*socket, error) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	return &socket{conn, raw}, nil
}

// Read implements io.Reader.
func (s *socket) Read(into []byte) (int, error) {
	read, errno := 0, syscall.Errno(0)
	err := s.raw.Read(func(fd uintptr) bool {
		read, errno = transfer(syscall.SYS_READ, fd, into)
		return errno != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, errno
	case read == 0 && len(into) > 0:
		return 0, io.EOF
	}
	return read, nil
}

// Write implements io.Writer.
func (s *socket) Write(from []byte) (int, error) {
	written, errno := 0, syscall.Errno(0)
	err := s.raw.Write(func(fd uintptr) bool {
		for written < len(from) {
			var n int
			if n, errno = transfer(syscall.SYS_WRITE, fd, from[written:]); errno != 0 {
				return errno != syscall.EAGAIN
			}
			written += n
		}
		return true
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return written, err
}

// transfer is one read or write, repeated after an interruption by a signal.
func transfer(call, fd uintptr, data []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
		if errno == 0 {
			return int(n), 0
		}
		if errno != syscall.EINTR {
			return 0, errno
		}
	}
}
