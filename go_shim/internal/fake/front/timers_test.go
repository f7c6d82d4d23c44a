package front

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
)

// withFront runs a test on a front without ports, in a synctest bubble whose clock advances only when everything waits.
func withFront(t *testing.T, test func(t *testing.T, f *Front)) {
	t.Helper()
	withLine(t, "3.9", test)
}

func withLine(t *testing.T, line string, test func(t *testing.T, f *Front)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err := release.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		advertise := []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}
		b, err := backend.Start(r, advertise, "c")
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		f, err := New(r, nil, b, events.NewLog(), advertise)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.CreateTopic("t", []*clusterpb.Assignment{{Leader: 1}}, nil); err != nil {
			t.Fatal(err)
		}
		test(t, f)
	})
}

// eventsOf returns the events of a kind so far.
func eventsOf(f *Front, kind clusterpb.Event_Kind) (events []*clusterpb.Event) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = f.log.Watch(ctx, func(e *clusterpb.Event) error {
		if e.Kind == kind {
			events = append(events, e)
		}
		return nil
	})
	return events
}

func call() *rules.Call {
	return &rules.Call{Broker: 1, Version: 7, Acks: -1, Objects: []rules.Object{{Topic: "t", Epoch: -1}}}
}

func diskFault(latestMs int32) *clusterpb.Fault {
	move := &clusterpb.Change{Change: &clusterpb.Change_MoveLeader{MoveLeader: &clusterpb.MoveLeader{Topic: "t", To: 2}}}
	return &clusterpb.Fault{
		Rules:   []*clusterpb.Rule{{Id: "disk", Brokers: []int32{1}, Topic: "t", Code: 56}},
		Changes: []*clusterpb.Timed{{Change: move, AfterMs: 150, LatestMs: latestMs}},
	}
}

func inject(t *testing.T, f *Front, fault *clusterpb.Fault) {
	t.Helper()
	if _, err := f.Inject(fault); err != nil {
		t.Fatal(err)
	}
}

// TestTheTimerStartsAtTheFirstHit, however late it is and however many follow.
func TestTheTimerStartsAtTheFirstHit(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		inject(t, f, diskFault(0))
		time.Sleep(1900 * time.Millisecond) // latest_ms, 2 s by default, must not count any more
		f.decide(call(), nil)
		time.Sleep(149 * time.Millisecond)
		f.decide(call(), nil)
		if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 0 {
			t.Fatalf("moved too early: %v", moved)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		moved, announced := eventsOf(f, clusterpb.Event_MOVED), eventsOf(f, clusterpb.Event_ANNOUNCED)
		if len(moved) != 1 || moved[0].Value != 150 || moved[0].Broker != 2 || len(announced) != 1 {
			t.Errorf("%v, %v", moved, announced)
		}
		if hits := eventsOf(f, clusterpb.Event_HIT); len(hits) != 1 {
			t.Errorf("%v", hits)
		}
		if got := f.decide(call(), nil).Codes[0].Code; got != 56 {
			t.Errorf("the old leader answers %d", got)
		}
	})
}

func TestAPreludeStartsNoTimer(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		fault := diskFault(5000)
		fault.Rules[0].Prelude = true
		inject(t, f, fault)
		f.decide(call(), nil)
		time.Sleep(4999 * time.Millisecond)
		if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 0 {
			t.Fatalf("moved by a prelude: %v", moved)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 1 {
			t.Errorf("%v", moved)
		}
	})
}

func TestAChangeHappensAtLatestWithoutAHit(t *testing.T) {
	for latest, wait := range map[int32]time.Duration{0: 2 * time.Second, 700: 700 * time.Millisecond} {
		withFront(t, func(t *testing.T, f *Front) {
			inject(t, f, diskFault(latest))
			time.Sleep(wait - time.Millisecond)
			if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 0 {
				t.Fatalf("%v", moved)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 1 || moved[0].Value != -1 {
				t.Errorf("%v", moved)
			}
		})
	}
}

func TestHealCancelsPendingChanges(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		inject(t, f, diskFault(0))
		f.decide(call(), nil)
		time.Sleep(100 * time.Millisecond)
		f.Heal()
		time.Sleep(time.Minute)
		if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 0 {
			t.Errorf("%v", moved)
		}
		if got := f.decide(call(), nil); !got.Plain() {
			t.Errorf("%+v", got)
		}
	})
}

func TestADelayFromTheStartOfTheFault(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		fault := diskFault(0)
		fault.Changes[0].FromStart = true
		inject(t, f, fault)
		f.decide(call(), nil)
		time.Sleep(149 * time.Millisecond)
		if len(eventsOf(f, clusterpb.Event_MOVED)) != 0 {
			t.Error("too early")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if moved := eventsOf(f, clusterpb.Event_MOVED); len(moved) != 1 || moved[0].Value != -1 {
			t.Errorf("%v", moved)
		}
	})
}

func TestUnservedGroupsWhileACoordinatorMoves(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		to := f.CoordinatorOf(0, "g")%3 + 1
		f.CoordinatorOf(0, "bystander")
		move := &clusterpb.MoveCoordinator{Key: "g", To: to, GoneMs: 1000, LoadingMs: 1000}
		if _, err := f.Apply(&clusterpb.Change{Change: &clusterpb.Change_MoveCoordinator{MoveCoordinator: move}}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 1, 0} { // no coordinator, loading, served
			if got := f.unservedGroups(); len(got) != want {
				t.Errorf("%v, want %d", got, want)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
	})
}
