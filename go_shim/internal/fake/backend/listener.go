package backend

import (
	"errors"
	"net"
	"sync"
)

// memory is a listener without a socket. Its address is the advertised one, so the state machine writes the advertised
// host and port into its responses.
type memory struct {
	addr  address
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// address is an advertised host:port.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

func newMemory(addr string) *memory {
	return &memory{addr: address(addr), conns: make(chan net.Conn), done: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.done) })
	return nil
}

func (m *memory) Addr() net.Addr { return m.addr }

// dial connects to the listener; `from` becomes the peer's address.
func (m *memory) dial(from net.Addr) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- peer{theirs, from}:
		return ours, nil
	case <-m.done:
		return nil, errors.New("the state machine has stopped")
	}
}

// peer is one end of a pipe that reports the client's address as its remote address.
type peer struct {
	net.Conn
	from net.Addr
}

func (p peer) RemoteAddr() net.Addr { return p.from }
