package driver

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"google.golang.org/grpc"
)

// testTimeout ends what hangs, and asks nothing of the machine's speed.
const testTimeout = 2 * time.Minute

// orchestrator is the other end of the stream, with one channel per direction.
type orchestrator struct {
	driverpb.UnimplementedOrchestratorServer
	orders   chan *driverpb.ToDriver
	messages chan *driverpb.FromDriver
}

func (o *orchestrator) Attach(over grpc.BidiStreamingServer[driverpb.FromDriver, driverpb.ToDriver]) error {
	go func() {
		for order := range o.orders {
			_ = over.Send(order)
		}
	}()
	for {
		message, err := over.Recv()
		if err != nil {
			return err
		}
		o.messages <- message
	}
}

func (o *orchestrator) next(t *testing.T) *driverpb.FromDriver {
	t.Helper()
	select {
	case message := <-o.messages:
		return message
	case <-time.After(testTimeout):
		t.Fatal("no message from the driver")
		return nil
	}
}

// until collects an instance's events up to the first one of a kind.
func (o *orchestrator) until(t *testing.T, instance string, last driverpb.Kind) []*driverpb.Event {
	t.Helper()
	var seen []*driverpb.Event
	for {
		for _, event := range o.next(t).GetEvents().GetEvents() {
			if event.Instance != instance {
				continue
			}
			if seen = append(seen, event); event.Kind == last {
				return seen
			}
		}
	}
}

func (o *orchestrator) start(instance, role string) {
	start := &driverpb.Start{Instance: instance, Role: role}
	o.orders <- &driverpb.ToDriver{Message: &driverpb.ToDriver_Start{Start: start}}
}

func (o *orchestrator) stop(instance string, deadline time.Duration) {
	stop := &driverpb.Stop{Instance: instance, DeadlineMs: int32(deadline.Milliseconds())}
	o.orders <- &driverpb.ToDriver{Message: &driverpb.ToDriver_Stop{Stop: stop}}
}

// fakeClient blocks in Close until `free` closes.
type fakeClient struct{ free chan struct{} }

func (c *fakeClient) Close() { <-c.free }

// fake has one role per behaviour of a library.
func fake() *Library {
	return &Library{
		Family: "fake", Version: "7.8.9", Roles: []string{"good"}, Profiles: []string{"isolated"}, Describe: Describe,
		Open: func(start *driverpb.Start, out *Instance) (Client, error) {
			free := make(chan struct{})
			switch start.Role {
			case "good":
				close(free)
				out.Ready(map[string]string{"acks": "all"})
				for n := range int64(600) {
					out.Sent(0, n, Clock())
				}
			case "hangs":
				out.Ready(nil)
			case "fails":
				return nil, errors.New("no broker")
			case "panics":
				panic("index out of range")
			case "dies":
				close(free)
				out.Ready(nil)
				out.Fatal(nil, "given up")
				out.Notice("after the end")
			case "logs":
				close(free)
				out.Ready(nil)
				for line := range 2 * noticeLimit {
					out.Notice("line %d", line)
				}
			case "floods":
				close(free)
				out.Ready(nil)
				for line := range noticeLimit + 3*floodLines {
					out.Log("line %d", line)
				}
			default:
				return nil, Refuse("no role %s", start.Role)
			}
			return &fakeClient{free}, nil
		},
	}
}

func attached(t *testing.T) *orchestrator {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &orchestrator{orders: make(chan *driverpb.ToDriver, 16), messages: make(chan *driverpb.FromDriver, 1024)}
	server := grpc.NewServer()
	driverpb.RegisterOrchestratorServer(server, o)
	go func() { _ = server.Serve(listener) }()
	ended := make(chan error, 1)
	go func() { ended <- attach(fake(), listener.Addr().String(), "secret") }()
	t.Cleanup(func() {
		server.Stop()
		select {
		case <-ended:
		case <-time.After(testTimeout):
			t.Error("the driver did not end with its stream")
		}
	})
	hello := o.next(t).GetHello()
	if hello.GetToken() != "secret" || hello.GetFamily() != "fake" || hello.GetVersion() != "7.8.9" {
		t.Fatalf("the first message was %v", hello)
	}
	return o
}

func TestPingIsAnsweredWithTheClock(t *testing.T) {
	o := attached(t)
	before := Clock()
	o.orders <- &driverpb.ToDriver{Message: &driverpb.ToDriver_Ping{Ping: &driverpb.Ping{Id: 42}}}
	pong := o.next(t).GetPong()
	if pong.GetId() != 42 || pong.GetClockUs() < before || pong.GetClockUs() > Clock() {
		t.Fatalf("pong %v, sent after %d", pong, before)
	}
}

func TestEventsArriveInOrderAndInBatches(t *testing.T) {
	o := attached(t)
	o.start("a", "good")
	o.stop("a", time.Second)
	var kinds []driverpb.Kind
	for len(kinds) < 602 {
		batch := o.next(t).GetEvents().GetEvents()
		if len(batch) == 0 || len(batch) > batchLimit {
			t.Fatalf("a batch of %d", len(batch))
		}
		for _, event := range batch {
			if n := int64(len(kinds)) - 1; event.Kind == driverpb.Kind_SENT && event.Sequence != n {
				t.Fatalf("sequence %d arrived as number %d", event.Sequence, n)
			}
			kinds = append(kinds, event.Kind)
		}
	}
	if kinds[0] != driverpb.Kind_READY || kinds[601] != driverpb.Kind_CLOSED {
		t.Fatalf("the first event is %v, the last %v", kinds[0], kinds[601])
	}
}

func TestEveryInstanceEndsOnce(t *testing.T) {
	for role, want := range map[string]driverpb.Kind{
		"fails": driverpb.Kind_FATAL, "panics": driverpb.Kind_FATAL, "dies": driverpb.Kind_FATAL,
		"invented": driverpb.Kind_UNSUPPORTED,
	} {
		t.Run(role, func(t *testing.T) {
			o := attached(t)
			o.start("a", role)
			ended := o.until(t, "a", want)
			o.stop("a", time.Second)
			o.start("b", "good")
			o.stop("b", time.Second)
			o.until(t, "b", driverpb.Kind_CLOSED)
			select {
			case message := <-o.messages:
				t.Fatalf("after %v: %v", ended[len(ended)-1], message)
			case <-time.After(5 * flushDelay):
			}
		})
	}
}

func TestAHangingCloseIsFatalBeforeTheDeadline(t *testing.T) {
	o := attached(t)
	o.start("a", "hangs")
	o.until(t, "a", driverpb.Kind_READY)
	begin := time.Now()
	o.stop("a", 500*time.Millisecond)
	events := o.until(t, "a", driverpb.Kind_FATAL)
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("close took %v", took)
	}
	if text := events[0].Text; text != "close did not return in 500 ms" {
		t.Error(text)
	}
}

func TestASecondStartUnderOneNameIsIgnored(t *testing.T) {
	o := attached(t)
	o.start("a", "hangs")
	o.until(t, "a", driverpb.Kind_READY)
	o.start("a", "good")
	if events := o.until(t, "a", driverpb.Kind_NOTICE); len(events) != 1 {
		t.Fatal(events)
	}
}

func TestEndlessLoggingDoesNotFillTheHistory(t *testing.T) {
	o := attached(t)
	o.start("a", "logs")
	o.stop("a", time.Second)
	events := o.until(t, "a", driverpb.Kind_CLOSED)
	if last := events[len(events)-2]; len(events) != noticeLimit+2 || last.Text != "further notices are dropped" {
		t.Errorf("%d events, before the end %v", len(events), last)
	}
}
