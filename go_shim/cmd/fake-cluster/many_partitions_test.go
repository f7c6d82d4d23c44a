package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestManyLeadersMoveInOneStep has a client that observes either none of the moves or all of them.
func TestManyLeadersMoveInOneStep(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1, 1)
	fault := storageError("t", 1, 2)
	fault.Rules[0].Partitions = []int32{0, 1, 2}
	fault.Changes[0].Change.GetMoveLeader().Also = []int32{1, 2}
	r.inject(fault)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	for number := range int32(3) {
		r.event(clusterpb.Event_ANNOUNCED, func(e *clusterpb.Event) bool { return e.Partition == number })
	}
	rows := r.raw(3).ask(metadataOf("t")).(*kmsg.MetadataResponse).Topics[0].Partitions
	if len(rows) != 3 {
		t.Fatalf("%d partitions", len(rows))
	}
	for _, row := range rows {
		if row.Leader != 2 || len(row.OfflineReplicas) != 1 || row.OfflineReplicas[0] != 1 {
			t.Errorf("%+v", row)
		}
	}
	for number := range int32(3) {
		if got := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", number)))[number]; got != 56 {
			t.Errorf("partition %d at its old leader: %d", number, got)
		}
	}
}

func TestAMoveOfAPartitionThatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	before, move := r.epochOf(1), moveLeader("t", 0, 2)
	move.Also = []int32{5}
	if _, err := r.Apply(t.Context(), leaderChange(move)); err == nil {
		t.Error("it was accepted")
	}
	if got := r.epochOf(1); got != before {
		t.Errorf("the other partition moved: epoch %d, not %d", got, before)
	}
}
