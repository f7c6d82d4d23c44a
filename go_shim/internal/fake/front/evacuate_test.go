package front

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

func evacuation(e *clusterpb.Evacuate) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_Evacuate{Evacuate: e}}
}

func coordinatorOf(f *Front, name string) int32 { return f.CoordinatorOf(0, name) }

// groupAt returns a group that a broker coordinates at first.
func groupAt(f *Front, broker int32) string {
	for name := "g"; ; name += "g" {
		if f.backend.CoordinatorOf(name) == broker {
			return name
		}
	}
}

func TestAnElectionTakesItsConfiguredTime(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		group := groupAt(f, 1)
		coordinatorOf(f, group)
		inject(t, f, &clusterpb.Fault{Changes: []*clusterpb.Timed{
			{Change: evacuation(&clusterpb.Evacuate{Broker: 1, Leaves: true}), FromStart: true, AfterMs: 9000},
		}})
		time.Sleep(8999 * time.Millisecond)
		if p, _ := f.view(2).Partition("t", 0); p.Leader != 1 || !f.view(2).Alive(1) || coordinatorOf(f, group) != 1 {
			t.Errorf("before the election: %+v", p)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		p, _ := f.view(2).Partition("t", 0)
		if p.Leader != 2 || f.view(2).Alive(1) || coordinatorOf(f, group) != 2 || len(f.view(2).ISR(p)) != 2 {
			t.Errorf("after the election: %+v, coordinator %d", p, coordinatorOf(f, group))
		}
		if moved := eventsOf(f, clusterpb.Event_ANNOUNCED); len(moved) != 2 { // the partition and the group
			t.Errorf("%v", moved)
		}
	})
}

func TestUnusedKeysMoveAsWell(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		late := groupAt(f, 1)
		for _, step := range []struct{ leaves, successor int32 }{{1, 2}, {2, 3}, {3, 1}} {
			if _, err := f.Apply(evacuation(&clusterpb.Evacuate{Broker: step.leaves})); err != nil {
				t.Fatal(err)
			}
			if got := f.newest().Successor(f.backend.CoordinatorOf(late)); got != step.successor {
				t.Errorf("after %d left: %d, want %d", step.leaves, got, step.successor)
			}
		}
		if got := coordinatorOf(f, late); got != 1 {
			t.Errorf("first used after the moves: %d", got)
		}
	})
}

func TestNoLeaderIsElectedWithoutAReplica(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		if _, err := f.CreateTopic("alone", []*clusterpb.Assignment{{Leader: 1, Replicas: []int32{1}}}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Apply(evacuation(&clusterpb.Evacuate{Broker: 1, Leaves: true})); err != nil {
			t.Fatal(err)
		}
		if p, _ := f.view(2).Partition("alone", 0); p.Leader != -1 {
			t.Errorf("%+v", p)
		}
		f.Heal()
		if p, _ := f.view(2).Partition("alone", 0); p.Leader != 1 {
			t.Errorf("healed: %+v", p)
		}
	})
}

func TestAnEvacuationThatDropsReplicas(t *testing.T) {
	withFront(t, func(t *testing.T, f *Front) {
		if _, err := f.Apply(evacuation(&clusterpb.Evacuate{Broker: 1, DropReplicas: true, LoadingMs: 500})); err != nil {
			t.Fatal(err)
		}
		p, _ := f.view(2).Partition("t", 0)
		if p.Leader != 2 || len(p.Replicas) != 2 {
			t.Errorf("%+v", p)
		}
		if got := f.decide(call(), nil).Codes[0].Code; got != notLeader {
			t.Errorf("the old leader answers %d", got)
		}
	})
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	for _, bad := range [][]string{{"a:1"}, {"a:1", "b:2", "c"}, {"a:1", "b:2", "c:70000"}} {
		if _, err := endpointsOf(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	if got, err := endpointsOf([]string{"a:1", "b:2", "c:3"}); err != nil || got[topology.Brokers[2]] != (endpoint{"c", 3}) {
		t.Errorf("%v %v", got, err)
	}
}
