package front

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/sasl"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// errClosed ends a connection without a response, as brokers do.
var errClosed = errors.New("connection closed")

// pipelined is the number of requests that are read ahead of the present one.
const pipelined = 64

// conn is one client connection: requests are read ahead, served one by one, and answered in order.
type conn struct {
	front     *Front
	broker    int32
	bootstrap bool // over the port that Metadata does not name
	raw       net.Conn
	frames    chan []byte
	gone      chan struct{} // closed when the client is gone: parked requests end
	ended     chan struct{} // closed when serving ends
	pipes     map[int32]*backend.Pipe
	login     sasl.Login
	known     atomic.Bool // logged in
}

func newConn(b *broker, raw net.Conn) *conn {
	return &conn{
		front: b.front, broker: b.id, bootstrap: b.bootstrap, raw: raw, pipes: map[int32]*backend.Pipe{}, login: sasl.Login{Broker: b.id},
		frames: make(chan []byte, pipelined), gone: make(chan struct{}), ended: make(chan struct{}),
	}
}

// serve runs until either side closes.
func (c *conn) serve() {
	defer c.close()
	defer func() {
		if trouble := recover(); trouble != nil { // a malformed frame must not end the cluster
			text := fmt.Sprintf("connection lost: %v\n%s", trouble, debug.Stack())
			c.front.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: c.broker, Partition: -1, Text: text})
		}
	}()
	go c.read()
	for frame := range c.frames {
		if err := c.serveOne(frame); err != nil {
			return
		}
	}
}

func (c *conn) close() {
	close(c.ended)
	c.raw.Close()
	c.leaveShares()
	for _, pipe := range c.pipes {
		pipe.Close()
	}
}

func (c *conn) read() {
	defer close(c.frames)
	defer close(c.gone)
	in := bufio.NewReader(c.raw)
	for {
		frame, err := wire.ReadLimited(in, c.longest)
		if err != nil {
			if errors.Is(err, wire.ErrFrame) {
				c.raw.Close()
			}
			return
		}
		select {
		case c.frames <- frame:
		case <-c.ended:
			return
		}
	}
}

// serveOne serves one request; an error closes the connection.
func (c *conn) serveOne(frame []byte) error {
	if c.login.Bare() {
		return c.token(frame)
	}
	header, rest, err := wire.ReadHeader(frame)
	if err != nil {
		return err
	}
	c.front.counts.request(c.broker, header)
	c.front.journal.note("request", c, header)
	resp, err := c.respond(header, rest)
	if resp == nil || err != nil && !errors.Is(err, errRefused) {
		return err
	}
	end := err
	throttled := c.front.throttle(c.broker, resp)
	if _, err := c.raw.Write(wire.AppendResponse(nil, resp, header.Correlation)); err != nil {
		return err
	}
	c.front.counts.response(c.broker, header)
	c.front.journal.note("response", c, header)
	c.mute(throttled)
	return end
}

func (c *conn) respond(header wire.Header, rest []byte) (kmsg.Response, error) {
	served, ok := c.front.offers(c.broker).served[header.API]
	if header.Version < served.Min || header.Version > served.Max || !ok {
		if kmsg.Key(header.API) == kmsg.ApiVersions && ok {
			return c.front.refuseVersions(served)
		}
		return nil, fmt.Errorf("%s v%d is not served", kmsg.NameForKey(header.API), header.Version)
	}
	req, err := wire.ReadRequest(header, rest)
	if err != nil {
		return nil, err
	}
	if resp, served, err := c.logIn(req); served {
		return resp, err
	}
	return c.answer(req, header.ClientID)
}

// answer asks the rules, and asks again when a hold ends or a parked request is woken, until there is a response.
func (c *conn) answer(req kmsg.Request, clientID string) (kmsg.Response, error) {
	req = c.whole(req)
	x := &exchange{conn: c, req: req, clientID: clientID, call: c.front.callOf(c, req), held: map[string]bool{}}
	changed := c.front.waiting()
	decision := c.front.decide(x.call, x.held)
	for {
		switch decision.Kind {
		case rules.Close:
			return nil, errClosed
		case rules.Mute:
			<-c.gone
			return nil, errClosed
		case rules.Hold:
			if err := c.hold(decision); err != nil {
				return nil, err
			}
			x.held[decision.Rule] = true
		case rules.Park:
			select {
			case <-changed:
			case <-c.gone:
				return nil, errClosed
			}
		default:
			resp, again, err := x.act(decision)
			if again == nil && err == nil && decision.Lose {
				return nil, errClosed
			}
			if again == nil {
				return resp, err
			}
			decision = *again
			continue
		}
		changed = c.front.waiting() // before the rules are asked, so that no change is missed
		decision = c.front.decide(x.call, x.held)
	}
}

// hold waits until the time is over or the rule is removed.
func (c *conn) hold(decision rules.Decision) error {
	timer := time.NewTimer(time.Until(decision.Until))
	defer timer.Stop()
	for {
		changed := c.front.waiting()
		if !c.front.isActive(decision.Rule) {
			return nil
		}
		select {
		case <-timer.C:
			return nil
		case <-changed:
		case <-c.gone:
			return errClosed
		}
	}
}
