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

// broker is one virtual broker's port and its connections.
type broker struct {
	front   *Front
	id      int32
	address string // fixed by the first open

	mu       sync.Mutex
	listener net.Listener
	keeper   int // a bound socket that never listens, so that nobody else gets the port meanwhile
	conns    map[*conn]struct{}
}

// shared lets the keeper and the listener have one port.
var shared = net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	if err != nil {
		return err
	}
	return failed
}}

// open listens, on the port it had before if it had one.
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
		if b.keeper, err = keep(listener.Addr().(*net.TCPAddr).Port); err != nil {
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

func keep(port int) (int, error) {
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

// release lets the port go for good.
func (b *broker) release() { unix.Close(b.keeper) }

func (b *broker) accept(listener net.Listener) {
	for {
		raw, err := listener.Accept()
		if err != nil {
			return
		}
		b.serve(raw, listener)
	}
}

// serve starts a connection, unless the broker was shut while it was being accepted.
func (b *broker) serve(raw net.Conn, listener net.Listener) {
	quiet, err := newSocket(raw)
	if err != nil { // closed already
		return
	}
	c := newConn(b.front, b.id, quiet)
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

// setBroker stops, hangs or returns a broker. Who leads and coordinates is not touched: that is another change.
func (f *Front) setBroker(s *clusterpb.BrokerState) error {
	was := f.states[s.Broker]
	f.states[s.Broker] = s.State
	if was == clusterpb.BrokerState_STOPPED && s.State != was {
		if err := f.brokers[s.Broker].open(); err != nil {
			return err
		}
	}
	switch s.State {
	case clusterpb.BrokerState_STOPPED:
		f.brokers[s.Broker].shut()
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_STOPPED, Broker: s.Broker, Partition: -1})
	case clusterpb.BrokerState_HUNG:
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_STOPPED, Broker: s.Broker, Partition: -1, Text: "hung"})
	case clusterpb.BrokerState_UP:
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_RETURNED, Broker: s.Broker, Partition: -1})
	}
	f.enlist(s)
	return nil
}

// enlist keeps Metadata's list of brokers: one that is up is in it, one that is announced to be gone is not.
func (f *Front) enlist(s *clusterpb.BrokerState) {
	up := s.State == clusterpb.BrokerState_UP
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
