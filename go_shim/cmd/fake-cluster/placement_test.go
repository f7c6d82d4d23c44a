package main

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// assigned creates a topic with these replicas, by partition.
func assigned(name string, partitions ...[]int32) *kmsg.CreateTopicsRequest {
	req := createTopic(5, name, nil)
	topic := &req.Topics[0]
	topic.NumPartitions, topic.ReplicationFactor = -1, -1
	for number, replicas := range partitions {
		topic.ReplicaAssignment = append(topic.ReplicaAssignment, kmsg.CreateTopicsRequestTopicReplicaAssignment{
			Partition: int32(number), Replicas: replicas,
		})
	}
	return req
}

// replicated creates a topic of two partitions with this many replicas.
func replicated(name string, count int16) *kmsg.CreateTopicsRequest {
	req := createTopic(5, name, nil)
	req.Topics[0].ReplicationFactor = count
	return req
}

// rowsOf returns the partitions of a topic by number, as a broker shows them.
func (r *rig) rowsOf(topic string) map[int32]kmsg.MetadataResponseTopicPartition {
	r.t.Helper()
	rows := map[int32]kmsg.MetadataResponseTopicPartition{}
	for _, row := range r.raw(2).ask(metadataOf(topic)).(*kmsg.MetadataResponse).Topics[0].Partitions {
		rows[row.Partition] = row
	}
	return rows
}

// served checks that the leader of a partition serves, and that brokers without a replica answer 6.
func (r *rig) served(topic string, row kmsg.MetadataResponseTopicPartition) {
	r.t.Helper()
	expect(r.t, "a write", produceCodes(r.raw(row.Leader).ask(produceTo(7, -1, topic, row.Partition)))[row.Partition], 0)
	for broker := range int32(3) {
		want := int16(6)
		if slices.Contains(row.Replicas, broker+1) {
			want = 0
		}
		got := fetchRows(r.raw(broker + 1).ask(fetchFrom(11, 0, -1, topic, row.Partition)))[row.Partition]
		expect(r.t, "a read", got.ErrorCode, want)
	}
}

func TestATopicHasTheReplicasThatItsClientAskedFor(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	c := r.raw(1)
	for name, count := range map[string]int{"one": 1, "two": 2, "three": 3} {
		row := c.ask(replicated(name, int16(count))).(*kmsg.CreateTopicsResponse).Topics[0]
		if row.ErrorCode != 0 || int(row.ReplicationFactor) != count {
			t.Errorf("%+v", row)
		}
		for _, p := range r.rowsOf(name) {
			if len(p.Replicas) != count || p.Replicas[0] != p.Leader || !slices.Equal(p.Replicas, p.ISR) {
				t.Errorf("%s: %+v", name, p)
			}
			r.served(name, p)
		}
	}
	wanted := [][]int32{{3, 1}, {2, 3}, {1, 2}}
	row := c.ask(assigned("assigned", wanted...)).(*kmsg.CreateTopicsResponse).Topics[0]
	if row.ErrorCode != 0 || row.NumPartitions != 3 || row.ReplicationFactor != 2 {
		t.Errorf("%+v", row)
	}
	for number, replicas := range wanted {
		p := r.rowsOf("assigned")[int32(number)]
		if p.Leader != replicas[0] || !slices.Equal(p.Replicas, replicas) {
			t.Errorf("%+v, want %v", p, replicas)
		}
		r.served("assigned", p)
	}
}

func TestReplicasThatBrokersRefuse(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	empty, both := replicated("t", 3), assigned("t", []int32{1, 2})
	empty.Topics[0].NumPartitions, both.Topics[0].ReplicationFactor = 0, 2
	for _, refused := range []struct {
		name string
		req  *kmsg.CreateTopicsRequest
		want int16
	}{
		{"no replicas", replicated("t", 0), 38}, {"more than brokers", replicated("t", 4), 38}, {"less than the default", replicated("t", -2), 38},
		{"no partitions", empty, 37}, {"twice", assigned("t", []int32{1, 1}), 39}, {"an unknown broker", assigned("t", []int32{1, 9}), 39},
		{"nobody", assigned("t", []int32{}), 39}, {"different numbers", assigned("t", []int32{1, 2}, []int32{3}), 39}, {"a count, too", both, 42},
	} {
		expect(t, refused.name, r.raw(1).ask(refused.req).(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode, refused.want)
	}
	only := assigned("t", []int32{2, 1})
	only.ValidateOnly = true
	expect(t, "a check", r.raw(1).ask(only).(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode, 0)
	code, _ := firstPartition(r.raw(1).ask(metadataOf("t")))
	expect(t, "a topic that nobody made", code, 3)
}

func TestAddedPartitionsHaveTheReplicasOfTheirTopic(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.raw(1).ask(assigned("t", []int32{3, 1}))
	grow := func(count int32, replicas ...int32) {
		req := kmsg.NewPtrCreatePartitionsRequest()
		topic := kmsg.NewCreatePartitionsRequestTopic()
		topic.Topic, topic.Count = "t", count
		if len(replicas) > 0 {
			topic.Assignment = []kmsg.CreatePartitionsRequestTopicAssignment{{Replicas: replicas}}
		}
		req.Topics = append(req.Topics, topic)
		expect(t, "more partitions", r.raw(1).ask(req).(*kmsg.CreatePartitionsResponse).Topics[0].ErrorCode, 0)
	}
	grow(2)
	grow(3, 2, 3)
	rows := r.rowsOf("t")
	if !slices.Equal(rows[0].Replicas, []int32{3, 1}) || len(rows[1].Replicas) != 2 || !slices.Equal(rows[2].Replicas, []int32{2, 3}) || rows[2].Leader != 2 {
		t.Errorf("%+v", rows)
	}
	for _, row := range rows {
		r.served("t", row)
	}
}

// reassign asks for other replicas of t/0 and returns the code; `resizes` allows another number of them.
func (r *rig) reassign(resizes bool, topic string, replicas []int32) int16 {
	r.t.Helper()
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.Version, req.AllowReplicationFactorChange = 1, resizes
	req.Topics = []kmsg.AlterPartitionAssignmentsRequestTopic{{
		Topic: topic, Partitions: []kmsg.AlterPartitionAssignmentsRequestTopicPartition{{Replicas: replicas}},
	}}
	return r.raw(2).ask(req).(*kmsg.AlterPartitionAssignmentsResponse).Topics[0].Partitions[0].ErrorCode
}

// TestAReassignment begins a leader epoch where a replica is removed; the leader stays where it keeps its replica.
func TestAReassignment(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	epoch := r.epochOf(1)
	for _, step := range []struct {
		replicas []int32
		leader   int32
		epochs   int32
	}{{[]int32{3, 2, 1}, 1, 0}, {[]int32{3, 2}, 3, 1}, {[]int32{2, 3}, 3, 1}, {[]int32{3}, 3, 2}, {[]int32{1, 2, 3}, 3, 2}} {
		expect(t, "a reassignment", r.reassign(true, "t", step.replicas), 0)
		row := r.rowsOf("t")[0]
		if row.Leader != step.leader || !slices.Equal(row.Replicas, step.replicas) || row.LeaderEpoch != epoch+step.epochs {
			t.Errorf("%+v, want %+v above epoch %d", row, step, epoch)
		}
		r.served("t", row)
	}
	open := kmsg.NewPtrListPartitionReassignmentsRequest()
	if resp := r.raw(1).ask(open).(*kmsg.ListPartitionReassignmentsResponse); len(resp.Topics) != 0 {
		t.Errorf("still under way: %+v", resp)
	}
}

func TestReassignmentsThatFail(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	expect(t, "an unknown topic", r.reassign(true, "none", []int32{1}), 3)
	expect(t, "a cancellation", r.reassign(true, "t", nil), 85)
	expect(t, "nobody", r.reassign(true, "t", []int32{}), 39)
	expect(t, "an unknown broker", r.reassign(true, "t", []int32{1, 7}), 39)
	expect(t, "another number", r.reassign(false, "t", []int32{1, 2}), 38)
	if row := r.rowsOf("t")[0]; row.Leader != 1 || len(row.Replicas) != 3 {
		t.Errorf("%+v", row)
	}
}
