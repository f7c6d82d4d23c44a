package backend

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// askLimit bounds the engine's own requests; the state machine answers them at once.
const askLimit = 10 * time.Second

// Pipe is one connection to one node. It serves one request at a time.
type Pipe struct {
	conn      net.Conn
	in        *bufio.Reader // a pipe hands over at each read: length and body come in one
	formatter *kmsg.RequestFormatter
	next      int32
}

// Dial opens a connection to a node; from is who the state machine takes for the peer.
func (b *Backend) Dial(node int32, from net.Addr, clientID string) (*Pipe, error) {
	listener, ok := b.nodes[node]
	if !ok {
		return nil, fmt.Errorf("there is no node %d", node)
	}
	conn, err := listener.dial(from)
	if err != nil {
		return nil, err
	}
	return &Pipe{conn: conn, in: bufio.NewReader(conn), formatter: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID))}, nil
}

// Close ends the connection; a request that waits on it fails.
func (p *Pipe) Close() { p.conn.Close() }

// Ask sends a request at the version that is set in it and decodes the answer.
func (p *Pipe) Ask(req kmsg.Request) (kmsg.Response, error) {
	p.next++
	asked := told(req)
	if _, err := p.conn.Write(p.formatter.AppendRequest(nil, asked, p.next)); err != nil {
		return nil, err
	}
	frame, err := wire.ReadFrame(p.in)
	if err != nil {
		return nil, err
	}
	resp, err := wire.ReadResponse(asked, frame)
	if err == nil {
		resp.SetVersion(req.GetVersion())
	}
	return resp, err
}

// Ask sends one request of the engine's own to a node, off the front. Its connections are kept for the next request,
// since a feed asks ten times a second; one that failed is not.
func (b *Backend) Ask(node int32, req kmsg.Request) (kmsg.Response, error) {
	pipe, err := b.own(node)
	if err != nil {
		return nil, err
	}
	if err := pipe.conn.SetDeadline(time.Now().Add(askLimit)); err != nil {
		pipe.Close()
		return nil, err
	}
	resp, err := pipe.Ask(req)
	if err != nil {
		pipe.Close()
		return nil, err
	}
	b.idleMu.Lock()
	defer b.idleMu.Unlock()
	b.idle[node] = append(b.idle[node], pipe)
	return resp, nil
}

// own takes a connection of the engine's that nobody uses, or opens one.
func (b *Backend) own(node int32) (*Pipe, error) {
	b.idleMu.Lock()
	if idle := b.idle[node]; len(idle) > 0 {
		defer b.idleMu.Unlock()
		b.idle[node] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	b.idleMu.Unlock()
	return b.Dial(node, address("engine:0"), "engine")
}

// version is the newest version of an API up to want that this line knows.
func (b *Backend) version(api kmsg.Key, want int16) int16 {
	highest, _ := b.line.Caps.LookupMaxKeyVersion(int16(api))
	return min(want, highest)
}
