package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// waitLimit ends what hangs, and asks nothing of the machine's speed; neverMs is longer.
const (
	waitLimit = 2 * time.Minute
	neverMs   = 2 * int32(waitLimit/time.Millisecond)
)

// rig is a whole cluster behind a relay of the test, as the orchestrator runs it.
type rig struct {
	clusterpb.FakeClusterClient
	t       *testing.T
	seeds   []string
	mu      sync.Mutex
	events  []*clusterpb.Event
	brokers []string
}

func start(t *testing.T, broker string, more ...string) *rig {
	t.Helper()
	r := &rig{t: t}
	var relays []net.Listener
	for range 3 {
		relay, err := net.Listen("tcp4", "127.0.0.1:0")
		fatal(t, err)
		relays = append(relays, relay)
		r.seeds = append(r.seeds, relay.Addr().String())
		t.Cleanup(func() { relay.Close() })
	}
	opts, err := parse(append([]string{"--broker", broker, "--advertise", r.seeds[0] + "," + r.seeds[1] + "," + r.seeds[2]}, more...))
	fatal(t, err)
	end, out, in := make(chan struct{}), &io.PipeReader{}, &io.PipeWriter{}
	out, in = io.Pipe()
	stopped := make(chan error, 1)
	go func() { stopped <- run(opts, end, in) }()
	text, err := bufio.NewReader(out).ReadBytes('\n')
	fatal(t, err)
	var addresses ready
	fatal(t, json.Unmarshal(text, &addresses))
	for i, relay := range relays {
		go forward(relay, addresses.Brokers[i])
	}
	dialed, err := dial(addresses.Control)
	fatal(t, err)
	r.FakeClusterClient, r.brokers = clusterpb.NewFakeClusterClient(dialed), addresses.Brokers
	go r.watch()
	t.Cleanup(func() {
		dialed.Close()
		close(end)
		select {
		case err := <-stopped:
			fatal(t, err)
		case <-time.After(waitLimit):
			t.Error("the cluster did not end")
		}
	})
	return r
}

func forward(relay net.Listener, to string) {
	for {
		client, err := relay.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			broker, err := net.Dial("tcp4", to)
			if err != nil {
				return
			}
			defer broker.Close()
			go func() { _, _ = io.Copy(broker, client); broker.Close() }()
			_, _ = io.Copy(client, broker)
		}()
	}
}

func (r *rig) watch() {
	stream, err := r.Watch(context.Background(), &clusterpb.Done{})
	for err == nil {
		var event *clusterpb.Event
		if event, err = stream.Recv(); err == nil {
			r.mu.Lock()
			r.events = append(r.events, event)
			r.mu.Unlock()
		}
	}
}

// event waits for the first event of a kind that satisfies `fits`.
func (r *rig) event(kind clusterpb.Event_Kind, fits func(*clusterpb.Event) bool) *clusterpb.Event {
	r.t.Helper()
	var found *clusterpb.Event
	eventually(r.t, "event "+kind.String(), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		i := slices.IndexFunc(r.events, func(e *clusterpb.Event) bool { return e.Kind == kind && (fits == nil || fits(e)) })
		if i >= 0 {
			found = r.events[i]
		}
		return i >= 0
	})
	return found
}

// has reports whether an event of a kind was seen.
func (r *rig) has(kind clusterpb.Event_Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.events, func(e *clusterpb.Event) bool { return e.Kind == kind })
}

// topic creates a topic with one partition per given leader.
func (r *rig) topic(name string, leaders ...int32) []byte {
	r.t.Helper()
	req := &clusterpb.CreateTopicRequest{Topic: name}
	for _, leader := range leaders {
		req.Partitions = append(req.Partitions, &clusterpb.Assignment{Leader: leader})
	}
	reply, err := r.CreateTopic(context.Background(), req)
	fatal(r.t, err)
	return reply.TopicId
}

func (r *rig) inject(fault *clusterpb.Fault) {
	r.t.Helper()
	_, err := r.Inject(context.Background(), fault)
	fatal(r.t, err)
}

func (r *rig) apply(change *clusterpb.Change) {
	r.t.Helper()
	_, err := r.Apply(context.Background(), change)
	fatal(r.t, err)
}

func (r *rig) heal() {
	r.t.Helper()
	_, err := r.Heal(context.Background(), &clusterpb.Done{})
	fatal(r.t, err)
}

// raw is a hand-written client on one connection to one broker.
type raw struct {
	t    *testing.T
	conn net.Conn
	next int32
}

func (r *rig) raw(broker int32) *raw {
	r.t.Helper()
	conn, err := net.Dial("tcp4", r.brokers[broker-1])
	fatal(r.t, err)
	r.t.Cleanup(func() { conn.Close() })
	return &raw{t: r.t, conn: conn}
}

// send writes a request without reading its answer.
func (c *raw) send(req kmsg.Request) {
	c.t.Helper()
	c.next++
	_, err := c.conn.Write(kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, req, c.next))
	fatal(c.t, err)
}

// receive reads the response, or returns the error that came in its place within the limit.
func (c *raw) receive(req kmsg.Request, limit time.Duration) (kmsg.Response, error) {
	fatal(c.t, c.conn.SetReadDeadline(time.Now().Add(limit)))
	frame, err := wire.ReadFrame(c.conn)
	if err != nil {
		return nil, err
	}
	return wire.ReadResponse(req, frame)
}

func (c *raw) ask(req kmsg.Request) kmsg.Response {
	c.t.Helper()
	c.send(req)
	resp, err := c.receive(req, waitLimit)
	fatal(c.t, err)
	return resp
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(waitLimit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func moveLeader(topic string, partition, to int32) *clusterpb.MoveLeader {
	return &clusterpb.MoveLeader{Topic: topic, Partition: partition, To: to}
}

func leaderChange(m *clusterpb.MoveLeader) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_MoveLeader{MoveLeader: m}}
}

func coordinatorChange(m *clusterpb.MoveCoordinator) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_MoveCoordinator{MoveCoordinator: m}}
}

func brokerChange(b *clusterpb.BrokerState) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_Broker{Broker: b}}
}
