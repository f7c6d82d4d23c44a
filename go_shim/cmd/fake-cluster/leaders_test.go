package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// epochOf returns the leader epoch of t/0 that a broker shows.
func (r *rig) epochOf(broker int32) int32 {
	_, row := firstPartition(r.raw(broker).ask(metadataOf("t")))
	return row.LeaderEpoch
}

// TestTheDemotedReplica has the errors that were read on a real 3.9.2.
func TestTheDemotedReplica(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	r.apply(leaderChange(moveLeader("t", 0, 2)))
	epoch := r.epochOf(1)
	c := r.raw(1)
	for _, x := range []struct {
		name    string
		version int16
		epoch   int32
		want    int16
	}{
		{"v10 without an epoch", 10, -1, 6}, {"v11 without an epoch", 11, -1, 0}, {"stale", 11, epoch - 1, 74},
		{"newer", 11, epoch + 1, 75}, {"current", 11, epoch, 0}, {"v10 stale", 10, epoch - 1, 74}, {"v10 current", 10, epoch, 6},
	} {
		row := fetchRows(c.ask(fetchFrom(x.version, 0, x.epoch, "t", 0)))[0]
		if row.ErrorCode != x.want || (x.want == 0) != (len(row.RecordBatches) > 0) {
			t.Errorf("%s: code %d, %d bytes; want code %d", x.name, row.ErrorCode, len(row.RecordBatches), x.want)
		}
	}
	if got := fetchRows(r.raw(2).ask(fetchFrom(11, 0, epoch-1, "t", 0)))[0].ErrorCode; got != 74 {
		t.Errorf("a stale epoch at the leader: %d", got)
	}
	if got := produceCodes(c.ask(produceTo(7, -1, "t", 0)))[0]; got != 6 {
		t.Errorf("produce: %d", got)
	}
	offsets := kmsg.NewPtrListOffsetsRequest()
	offsets.Version = 7
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Timestamp = -1
	offsets.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: "t", Partitions: []kmsg.ListOffsetsRequestTopicPartition{p}}}
	if got := c.ask(offsets).(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0].ErrorCode; got != 6 {
		t.Errorf("list offsets: %d", got)
	}
}

func TestAReassignedLeaderHasNoReplica(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	move := moveLeader("t", 0, 3)
	move.DropOld = true
	r.apply(leaderChange(move))
	if got := fetchRows(r.raw(1).ask(fetchFrom(11, 0, -1, "t", 0)))[0].ErrorCode; got != 6 {
		t.Errorf("fetch: %d", got)
	}
	_, row := firstPartition(r.raw(1).ask(metadataOf("t")))
	if row.Leader != 3 || !slices.Equal(row.Replicas, []int32{2, 3}) {
		t.Errorf("%+v", row)
	}
}

// TestOldReleasesHaveNoFollowerFetch: before 2.4 only the leader serves.
func TestOldReleasesHaveNoFollowerFetch(t *testing.T) {
	t.Parallel()
	r := start(t, "2.3")
	r.topic("t", 1)
	if got := fetchRows(r.raw(2).ask(fetchFrom(11, 0, -1, "t", 0)))[0].ErrorCode; got != 6 {
		t.Errorf("%d", got)
	}
}

func TestEndOfAnEpochBeforeTheNewLeaderWrote(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	epoch := r.epochOf(1)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	r.apply(leaderChange(moveLeader("t", 0, 2)))
	ask := func(version, current int32) kmsg.OffsetForLeaderEpochResponseTopicPartition {
		req := kmsg.NewPtrOffsetForLeaderEpochRequest()
		req.Version, req.ReplicaID = int16(version), -1
		p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		p.LeaderEpoch, p.CurrentLeaderEpoch = epoch, current
		req.Topics = []kmsg.OffsetForLeaderEpochRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetForLeaderEpochRequestTopicPartition{p}}}
		return r.raw(2).ask(req).(*kmsg.OffsetForLeaderEpochResponse).Topics[0].Partitions[0]
	}
	for version := range int32(5) {
		row := ask(version, epoch+1)
		if row.ErrorCode != 0 || version > 0 && row.LeaderEpoch != epoch || row.EndOffset != 1 {
			t.Errorf("v%d: %+v; want epoch %d up to offset 1", version, row, epoch)
		}
		if version > 1 { // older ones do not name the current epoch
			expect(t, "a leader epoch that is over", ask(version, epoch).ErrorCode, 74)
		}
	}
}

func TestMetadataAfterALogDirFailed(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	_, err := r.CreateTopic(context.Background(), &clusterpb.CreateTopicRequest{Topic: "t", Partitions: []*clusterpb.Assignment{{Leader: 1, Replicas: []int32{3, 1, 2}}}})
	fatal(t, err)
	r.inject(storageError("t", 1, 2))
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	r.event(clusterpb.Event_ANNOUNCED, nil)
	c := r.raw(3)
	_, row := firstPartition(c.ask(metadataOf("t")))
	if row.Leader != 2 || !slices.Equal(row.Replicas, []int32{3, 1, 2}) || !slices.Equal(row.ISR, []int32{3, 2}) || !slices.Equal(row.OfflineReplicas, []int32{1}) {
		t.Errorf("%+v", row)
	}
	if got := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0)))[0]; got != 56 {
		t.Errorf("the old leader answers %d until it is healed", got)
	}
	r.heal()
	if got := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0)))[0]; got != 6 {
		t.Errorf("healed, it answers %d", got)
	}
	if _, row = firstPartition(c.ask(metadataOf("t"))); row.Leader != 2 || len(row.OfflineReplicas) != 0 {
		t.Errorf("healed: %+v", row)
	}
}

func TestLeaderless(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.apply(leaderChange(moveLeader("t", 0, -1)))
	_, row := firstPartition(r.raw(2).ask(metadataOf("t")))
	if row.Leader != -1 || row.ErrorCode != 5 || len(row.Replicas) != 3 || r.has(clusterpb.Event_ANNOUNCED) {
		t.Errorf("%+v", row)
	}
	if got := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0)))[0]; got != 6 {
		t.Errorf("produce: %d", got)
	}
	r.heal()
	if moved := r.event(clusterpb.Event_MOVED, nil); moved.Broker != 1 {
		t.Errorf("%v", moved)
	}
	if got := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0)))[0]; got != 0 {
		t.Errorf("healed: %d", got)
	}
}

func TestHiddenPartition(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_View{View: &clusterpb.MetadataView{
		HiddenTopics: []string{"t/1"},
	}}})
	shown := r.raw(1).ask(metadataOf("t")).(*kmsg.MetadataResponse).Topics[0]
	if shown.ErrorCode != 0 || len(shown.Partitions) != 1 || shown.Partitions[0].Partition != 0 {
		t.Errorf("code %d, partitions %v", shown.ErrorCode, shown.Partitions)
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	view := func(v *clusterpb.MetadataView) {
		r.apply(&clusterpb.Change{Change: &clusterpb.Change_View{View: v}})
	}
	leader := func(broker int32) int32 {
		_, row := firstPartition(r.raw(broker).ask(metadataOf("t")))
		return row.Leader
	}
	time.Sleep(2 * time.Millisecond)
	view(&clusterpb.MetadataView{Broker: 3, LagMs: 2000})
	view(&clusterpb.MetadataView{Broker: 2, HiddenTopics: []string{"t"}})
	time.Sleep(2050 * time.Millisecond)
	r.apply(leaderChange(moveLeader("t", 0, 2)))
	if code, _ := firstPartition(r.raw(2).ask(metadataOf("t"))); code != 3 {
		t.Errorf("hidden: %d", code)
	}
	if leader(1) != 2 || leader(3) != 1 || r.has(clusterpb.Event_ANNOUNCED) {
		t.Errorf("leader %d at 1, %d at the lagging 3", leader(1), leader(3))
	}
	view(&clusterpb.MetadataView{Broker: 2})
	moved, announced := r.event(clusterpb.Event_MOVED, nil), r.event(clusterpb.Event_ANNOUNCED, nil)
	if late := announced.AtUs - moved.AtUs; late < 2_000_000 || leader(3) != 2 {
		t.Errorf("announced %d us after the move", late)
	}
	view(&clusterpb.MetadataView{Frozen: true})
	r.apply(leaderChange(moveLeader("t", 0, 3)))
	if leader(1) != 2 || leader(2) != 2 {
		t.Error("frozen views show the new leader")
	}
	r.heal()
	r.event(clusterpb.Event_ANNOUNCED, func(e *clusterpb.Event) bool { return e.Broker == 3 })
	if leader(1) != 3 {
		t.Error("healed views do not")
	}
}

func TestAChangeWithoutAHitHappensAtLatest(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	fault := storageError("t", 1, 2)
	fault.Changes[0].LatestMs = 120
	r.inject(fault)
	on, moved := r.event(clusterpb.Event_FAULT_ON, nil), r.event(clusterpb.Event_MOVED, nil)
	if took := moved.AtUs - on.AtUs; moved.Value != -1 || took < 120_000 || took > 5_000_000 { // a busy machine wakes timers late
		t.Errorf("moved %d us after the fault, value %d", took, moved.Value)
	}
}

func TestTopicsAreGrownDeletedAndRecreated(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	id := r.topic("t", 1)
	change := func(what clusterpb.TopicChange_What, total int32) {
		r.apply(&clusterpb.Change{Change: &clusterpb.Change_Topic{Topic: &clusterpb.TopicChange{Topic: "t", What: what, Partitions: total}}})
	}
	topic := func() kmsg.MetadataResponseTopic {
		req := metadataOf("t")
		req.Version = 12
		return r.raw(2).ask(req).(*kmsg.MetadataResponse).Topics[0]
	}
	change(clusterpb.TopicChange_GROW, 3)
	if got := topic(); len(got.Partitions) != 3 || got.Partitions[0].Leader != 1 {
		t.Errorf("grown: %+v", got)
	}
	change(clusterpb.TopicChange_RECREATE, 0)
	if got := topic(); len(got.Partitions) != 3 || got.TopicID == [16]byte(id) || got.Partitions[0].Leader != 1 {
		t.Errorf("recreated: %+v", got)
	}
	was := topic().TopicID
	change(clusterpb.TopicChange_DELETE, 0)
	if got := topic(); got.ErrorCode != 3 {
		t.Errorf("deleted: %+v", got)
	}
	change(clusterpb.TopicChange_RECREATE, 0)
	if got := topic(); got.ErrorCode != 0 || len(got.Partitions) != 3 || got.TopicID == was || got.Partitions[0].Leader != 1 {
		t.Errorf("recreated after deletion: %+v", got)
	}
}
