package main

import (
	"slices"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sharer is a member of share group g with one session.
type sharer struct {
	*raw
	topic  [16]byte
	epoch  int32
	member string
	wait   time.Duration
}

func (r *rig) sharer(broker int32, topic []byte) *sharer {
	return &sharer{raw: r.raw(broker), topic: [16]byte(topic), member: "a"}
}

// fetches sends a ShareFetch that names partitions, with offsets of the first one to accept.
func (s *sharer) fetches(partitions []int32, accepts ...int64) *kmsg.ShareFetchResponse {
	s.t.Helper()
	req := kmsg.NewPtrShareFetchRequest()
	req.Version, req.GroupID, req.MemberID = 1, kmsg.StringPtr("g"), kmsg.StringPtr(s.member)
	req.MaxWaitMillis = int32(s.wait.Milliseconds())
	req.ShareSessionEpoch, req.MaxRecords, req.MaxBytes, req.MinBytes = s.epoch, 10, 1<<20, 1
	topic := kmsg.NewShareFetchRequestTopic()
	topic.TopicID = s.topic
	for i, partition := range partitions {
		row := kmsg.NewShareFetchRequestTopicPartition()
		row.Partition = partition
		for _, offset := range accepts {
			if i == 0 {
				batch := kmsg.NewShareFetchRequestTopicPartitionAcknowledgementBatch()
				batch.FirstOffset, batch.LastOffset, batch.AcknowledgeTypes = offset, offset, []int8{1}
				row.AcknowledgementBatches = append(row.AcknowledgementBatches, batch)
			}
		}
		topic.Partitions = append(topic.Partitions, row)
	}
	if len(partitions) > 0 {
		req.Topics = append(req.Topics, topic)
	}
	s.epoch++
	return s.ask(req).(*kmsg.ShareFetchResponse)
}

// rows returns the rows of an answer by partition.
func rows(resp *kmsg.ShareFetchResponse) map[int32]kmsg.ShareFetchResponseTopicPartition {
	found := map[int32]kmsg.ShareFetchResponseTopicPartition{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			found[p.Partition] = p
		}
	}
	return found
}

// given returns the offsets that an answer gives of a partition.
func given(resp *kmsg.ShareFetchResponse, partition int32) (offsets []int64) {
	for _, run := range rows(resp)[partition].AcquiredRecords {
		for offset := run.FirstOffset; offset <= run.LastOffset; offset++ {
			offsets = append(offsets, offset)
		}
	}
	return offsets
}

// TestShareGroupsAreOffBefore42: in 4.1 a preview, which the feature share.version turns on.
func TestShareGroupsAreOffBefore42(t *testing.T) {
	t.Parallel()
	r := start(t, "4.1")
	id := r.topic("t", 1)
	if got := r.sharer(1, id).fetches([]int32{0}).ErrorCode; got != 35 {
		t.Errorf("%d", got)
	}
	if _, advertised := r.ranges()[int16(kmsg.ShareFetch)]; !advertised {
		t.Error("not advertised")
	}
}

// TestAShareSessionNamesChangesOnly: the second fetch names nothing, and gives records of both partitions.
func TestAShareSessionNamesChangesOnly(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1, 1)
	s := r.sharer(1, id)
	s.fetches([]int32{0, 1})
	r.raw(1).ask(produceTo(9, 1, "t", 0, 1))
	resp := s.fetches(nil)
	if resp.ErrorCode != 0 || !slices.Equal(given(resp, 0), []int64{0}) || !slices.Equal(given(resp, 1), []int64{0}) {
		t.Errorf("%+v", resp)
	}
	for _, row := range rows(s.fetches([]int32{0}, 0)) {
		if row.Records == nil || row.AcknowledgeErrorCode != 0 { // a null set of records ends the Java client's thread
			t.Errorf("%+v", row)
		}
	}
	s.epoch = 9
	if got := s.fetches(nil).ErrorCode; got != 123 {
		t.Errorf("another epoch: %d", got)
	}
}

// TestAShareFetchToABrokerThatLeadsNoMore names the new leader, who gives the record; acknowledgements meet an unknown partition.
func TestAShareFetchToABrokerThatLeadsNoMore(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1)
	s := r.sharer(1, id)
	s.fetches([]int32{0})
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_MoveLeader{MoveLeader: &clusterpb.MoveLeader{Topic: "t", To: 2}}})
	row := rows(s.fetches(nil))[0]
	if row.ErrorCode != 6 || row.CurrentLeader.LeaderID != 2 {
		t.Errorf("%+v", row)
	}
	ack := kmsg.NewPtrShareAcknowledgeRequest()
	ack.Version, ack.GroupID, ack.MemberID, ack.ShareSessionEpoch = 1, kmsg.StringPtr("g"), kmsg.StringPtr("a"), s.epoch
	topic := kmsg.NewShareAcknowledgeRequestTopic()
	topic.TopicID, topic.Partitions = [16]byte(id), []kmsg.ShareAcknowledgeRequestTopicPartition{{}}
	ack.Topics = append(ack.Topics, topic)
	refused := s.ask(ack).(*kmsg.ShareAcknowledgeResponse)
	if got := refused.Topics[0].Partitions[0]; got.ErrorCode != 3 || got.CurrentLeader.LeaderID > 0 {
		t.Errorf("%+v", got)
	}
	next := r.sharer(2, id)
	next.fetches([]int32{0})
	r.raw(2).ask(produceTo(9, 1, "t", 0))
	if resp := next.fetches(nil); !slices.Equal(given(resp, 0), []int64{0}) {
		t.Errorf("%+v", resp)
	}
}

// TestAShareFetchWithAnErrorWaitsForRecordsOfOtherPartitions, up to its own limit; with errors alone it is answered at once.
func TestAShareFetchWithAnErrorWaitsForRecordsOfOtherPartitions(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1, 1)
	both, one := r.sharer(1, id), r.sharer(1, id)
	one.member = "b"
	both.fetches([]int32{0, 1})
	one.fetches([]int32{0})
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{
		Id: "disk", Apis: []int32{78, 79}, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: 56,
	}}})
	for s, waits := range map[*sharer]bool{both: true, one: false} {
		begun := time.Now()
		s.wait = 300 * time.Millisecond
		if got := rows(s.fetches(nil))[0].ErrorCode; got != 56 {
			t.Errorf("%d", got)
		}
		if took := time.Since(begun); (took >= s.wait) != waits {
			t.Errorf("answered after %v", took)
		}
	}
}

// TestAShareFetchWithAnErrorLocksNoRecord: what a member is not given is given once the fault is over, by the same session.
func TestAShareFetchWithAnErrorLocksNoRecord(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1, 1)
	s := r.sharer(1, id)
	s.fetches([]int32{0, 1})
	r.raw(1).ask(produceTo(9, 1, "t", 0, 1))
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{
		Id: "disk", Apis: []int32{78, 79}, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: 56,
	}}})
	resp := s.fetches(nil)
	if rows(resp)[0].ErrorCode != 56 || len(given(resp, 0)) > 0 || !slices.Equal(given(resp, 1), []int64{0}) {
		t.Errorf("%+v", resp)
	}
	if row := rows(s.fetches([]int32{0}, 0))[0]; row.ErrorCode != 56 || row.AcknowledgeErrorCode != 3 {
		t.Errorf("%+v", row)
	}
	r.heal()
	resp = s.fetches(nil)
	if run := rows(resp)[0].AcquiredRecords; len(run) != 1 || run[0].DeliveryCount != 1 {
		t.Errorf("%+v", resp)
	}
}

// TestARefusedAcknowledgementStandsInTheRowOfTheRecords: a partition has one row, whose last one clients would keep.
func TestARefusedAcknowledgementStandsInTheRowOfTheRecords(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	id := r.topic("t", 1)
	s, other := r.sharer(1, id), r.sharer(1, id)
	other.member = "b"
	s.fetches([]int32{0})
	r.raw(1).ask(produceTo(9, 1, "t", 0))
	other.fetches([]int32{0})
	r.raw(1).ask(produceTo(9, 1, "t", 0))
	resp := s.fetches([]int32{0}, 0) // which the other member holds
	if count := len(resp.Topics[0].Partitions); count != 1 {
		t.Errorf("%d rows", count)
	}
	if row := rows(resp)[0]; row.AcknowledgeErrorCode != 121 || !slices.Equal(given(resp, 0), []int64{1}) {
		t.Errorf("%+v", row)
	}
}

// TestAMemberThatIsUnknownByARuleIsGone: it joins again with epoch 0.
func TestAMemberThatIsUnknownByARuleIsGone(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	tell := func(epoch int32) *kmsg.ShareGroupHeartbeatResponse {
		req := kmsg.NewPtrShareGroupHeartbeatRequest()
		req.Version, req.GroupID, req.MemberID, req.MemberEpoch, req.SubscribedTopicNames = 1, "g", "a", epoch, []string{"t"}
		return r.raw(r.coordinator("g")).ask(req).(*kmsg.ShareGroupHeartbeatResponse)
	}
	joined := tell(0)
	if joined.ErrorCode != 0 || joined.Assignment == nil {
		t.Fatalf("%+v", joined)
	}
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{Id: "unknown", Apis: []int32{76}, Key: "g", Code: 25, Count: 1}}})
	for _, wanted := range []int16{25, 69} { // the group went with its last member
		if got := tell(joined.MemberEpoch).ErrorCode; got != wanted {
			t.Errorf("%d, not %d", got, wanted)
		}
	}
	if again := tell(0); again.ErrorCode != 0 || again.Assignment == nil {
		t.Errorf("%+v", again)
	}
}
