package driver

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func TestTicksAboveTheInFlightLimitAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := NewInFlight(2)
		got := []bool{limit.Begin(), limit.Begin(), limit.Begin()}
		limit.End()
		got = append(got, limit.Begin())
		if !slices.Equal(got, []bool{true, true, false, true}) || limit.skipped.Load() != 1 {
			t.Fatal(got, limit.skipped.Load())
		}
	})
}

func instanceWith(start *driverpb.Start) (*Instance, *outbox) {
	out := newOutbox()
	return newInstance(start, out), out
}

func TestASkippedTickKeepsItsSequenceNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := &driverpb.Start{Instance: "a", IntervalMs: 1, MaxInFlight: 8, Partitions: []int32{0}, Bystander: -1}
		instance, out := instanceWith(start)
		var mu sync.Mutex
		var sequences []int64
		w := StartWorkload(instance, start, func(_ int32, sequence int64, ended func()) bool {
			mu.Lock()
			defer mu.Unlock()
			sequences = append(sequences, sequence)
			if len(sequences)%2 == 1 {
				return false
			}
			ended()
			return true
		})
		time.Sleep(100 * time.Millisecond)
		w.Stop()
		if len(sequences) < 4 || !slices.Equal(sequences[:4], []int64{0, 0, 1, 1}) {
			t.Fatal(sequences)
		}
		w.ReportSkipped()
		if events := out.take(); len(events) != 1 || events[0].Kind != driverpb.Kind_NOTICE {
			t.Fatal(events)
		}
	})
}

func TestAdminQueriesAreSentInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := &driverpb.Start{Instance: "a", IntervalMs: 1, MaxInFlight: 1, Partitions: []int32{3}, Bystander: -1}
		instance, out := instanceWith(start)
		w := StartAdminWorkload(instance, start, []AdminQuery{
			{Name: "earliest", Ask: func(partition int32) (int64, error) { return int64(partition), nil }},
			{Name: "latest", Ask: func(int32) (int64, error) { return -1, errors.New("no leader") }},
		}, ClusterQuestions{}, Describe)
		time.Sleep(100 * time.Millisecond)
		w.Stop()
		events := out.take()
		if len(events) < 4 {
			t.Fatal(events)
		}
		for index, want := range []driverpb.Kind{
			driverpb.Kind_SENT, driverpb.Kind_LISTED, driverpb.Kind_SENT, driverpb.Kind_LIST_ERROR,
		} {
			if event := events[index]; event.Kind != want || event.Partition != 3 || event.Sequence != int64(index/2) {
				t.Errorf("event %d is %v, want %v", index, event, want)
			}
		}
		if events[0].Text != "earliest" || events[1].Offset != 3 || events[3].GetError().GetText() != "no leader" {
			t.Error(events[:4])
		}
	})
}

func TestQuestionsAboutTheClusterAreAskedInTurnWithoutAPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := &driverpb.Start{Instance: "a", Topic: "t", IntervalMs: 1, MaxInFlight: 1, Bystander: 1}
		instance, out := instanceWith(start)
		var created []string
		w := StartAdminWorkload(instance, start, nil, ClusterQuestions{
			Create: func(topic string) error { created = append(created, topic); return nil },
			Group:  func() error { return errors.New("no coordinator") },
		}, Describe)
		time.Sleep(100 * time.Millisecond)
		w.Stop()
		events := out.take()
		if len(events) < 6 || len(created) < 2 || created[0] == created[1] {
			t.Fatal(events, created)
		}
		for index, want := range []string{"create", "create", "create", "create", "group", "group"} {
			if event := events[index]; event.Partition != Nowhere || event.Text != want {
				t.Errorf("event %d is %v, want %q", index, event, want)
			}
		}
		if events[3].Kind != driverpb.Kind_LISTED || events[5].Kind != driverpb.Kind_LIST_ERROR {
			t.Error(events[:6])
		}
	})
}
