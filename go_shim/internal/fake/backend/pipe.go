package backend

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// askLimit bounds the fake cluster's own requests; the state machine responds without delay.
const askLimit = 10 * time.Second

// Pipe is one connection to one node. It serves one request at a time.
type Pipe struct {
	conn      net.Conn
	in        *bufio.Reader // one read of the pipe takes length and body together
	formatter *kmsg.RequestFormatter
	next      int32
}

// Dial opens a connection to a node; `from` is the peer's address for the state machine.
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

// Close ends the connection; a pending request fails.
func (p *Pipe) Close() { p.conn.Close() }

// Ask sends a request in the version that is set in it and decodes the response.
func (p *Pipe) Ask(req kmsg.Request) (kmsg.Response, error) {
	p.next++
	sent := served(req)
	if _, err := p.conn.Write(p.formatter.AppendRequest(nil, sent, p.next)); err != nil {
		return nil, err
	}
	frame, err := wire.ReadFrame(p.in)
	if err != nil {
		return nil, err
	}
	resp, err := wire.ReadResponse(sent, frame)
	if err == nil {
		resp.SetVersion(req.GetVersion())
	}
	return resp, err
}

// Ask sends a request of the fake cluster itself to a node, past the front. Connections are reused, since a feed writes
// ten times per second; a connection that failed is not.
func (b *Backend) Ask(node int32, req kmsg.Request) (kmsg.Response, error) {
	pipe, err := b.takePipe(node)
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

// takePipe takes an idle connection of the fake cluster, or opens one.
func (b *Backend) takePipe(node int32) (*Pipe, error) {
	b.idleMu.Lock()
	if idle := b.idle[node]; len(idle) > 0 {
		defer b.idleMu.Unlock()
		b.idle[node] = idle[:len(idle)-1]
		return idle[len(idle)-1], nil
	}
	b.idleMu.Unlock()
	return b.Dial(node, address("engine:0"), "engine")
}

// version returns the newest version of an API in this release, at most `want`.
func (b *Backend) version(api kmsg.Key, want int16) int16 {
	highest, _ := b.release.Caps.LookupMaxKeyVersion(int16(api))
	return min(want, highest)
}
