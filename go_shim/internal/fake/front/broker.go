package front

import (
	"context"
	"net"
	"sync"
	"syscall"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"golang.org/x/sys/unix"
)

// broker is the port of one virtual broker and its connections.
type broker struct {
	front     *Front
	id        int32
	address   string // set by the first open
	bootstrap bool   // the port that Metadata does not name

	mu         sync.Mutex
	listener   net.Listener
	portHolder int // a bound socket that never listens, so that no other process gets the port while the broker is down
	conns      map[*conn]struct{}
}

// shared allows the holder and the listener to bind the same port.
var shared = net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	if err != nil {
		return err
	}
	return failed
}}

// open listens, after the first time on the same port.
func (b *broker) open() error {
	address := b.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := shared.Listen(context.Background(), "tcp4", address)
	if err != nil {
		return err
	}
	if b.address == "" {
		b.address = listener.Addr().String()
		if b.portHolder, err = holdPort(listener.Addr().(*net.TCPAddr).Port); err != nil {
			listener.Close()
			return err
		}
	}
	b.mu.Lock()
	b.listener = listener
	b.mu.Unlock()
	go b.accept(listener)
	return nil
}

func holdPort(port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// freePort releases the port for good.
func (b *broker) freePort() { unix.Close(b.portHolder) }

func (b *broker) accept(listener net.Listener) {
	for {
		raw, err := listener.Accept()
		if err != nil {
			return
		}
		b.serve(raw, listener)
	}
}

// serve starts a connection, unless the broker was closed during the accept.
func (b *broker) serve(raw net.Conn, listener net.Listener) {
	wrapped, err := newSocket(raw)
	if err != nil { // closed already
		return
	}
	c := newConn(b, wrapped)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener != listener {
		raw.Close()
		return
	}
	b.conns[c] = struct{}{}
	go func() {
		c.serve()
		b.mu.Lock()
		delete(b.conns, c)
		b.mu.Unlock()
	}()
}

// shut closes the port and every connection.
func (b *broker) shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener != nil {
		b.listener.Close()
		b.listener = nil
	}
	for c := range b.conns {
		c.raw.Close()
	}
}

// setBroker stops, hangs or returns a broker. Leaders and coordinators do not change: those are other changes.
func (f *Front) setBroker(s *clusterpb.BrokerState) error {
	was := f.states[s.Broker]
	f.states[s.Broker] = s.State
	if was == clusterpb.BrokerState_STOPPED && s.State != was {
		for _, b := range f.ports(s.Broker) {
			if err := b.open(); err != nil {
				return err
			}
		}
	}
	switch s.State {
	case clusterpb.BrokerState_STOPPED:
		for _, b := range f.ports(s.Broker) {
			b.shut()
		}
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_STOPPED, Broker: s.Broker, Partition: -1})
	case clusterpb.BrokerState_HUNG:
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_STOPPED, Broker: s.Broker, Partition: -1, Text: "hung"})
	case clusterpb.BrokerState_UP:
		if !s.Announced {
			f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_RETURNED, Broker: s.Broker, Partition: -1})
		}
	}
	f.registerBroker(s)
	return nil
}

// registerBroker updates Metadata's list of brokers: a broker that is up is listed, a broker that is announced as gone
// is not, whether it serves or not.
func (f *Front) registerBroker(s *clusterpb.BrokerState) {
	up := s.State == clusterpb.BrokerState_UP && !s.Announced
	if alive := f.newest().Alive(s.Broker); alive == up || !up && !s.Announced {
		f.wake()
		f.scheduleAnnouncements()
		return
	}
	next := f.newest().Next()
	next.Gone = nil
	for _, id := range topology.Brokers {
		if id == s.Broker && !up || id != s.Broker && !f.newest().Alive(id) {
			next.Gone = append(next.Gone, id)
		}
	}
	f.publish(next)
}
