package front

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// validReplicas reports whether a client may assign these replicas: brokers that exist, each once.
func validReplicas(replicas []int32) bool {
	for i, broker := range replicas {
		if !slices.Contains(topology.Brokers, broker) || slices.Contains(replicas[:i], broker) {
			return false
		}
	}
	return len(replicas) > 0
}

// reassignReplicas gives partitions other replicas. Every node of the state machine has every record, so a reassignment
// ends with its request.
func (f *Front) reassignReplicas(req *kmsg.AlterPartitionAssignmentsRequest) kmsg.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	resp := req.ResponseKind().(*kmsg.AlterPartitionAssignmentsResponse)
	resp.AllowReplicationFactorChange = req.AllowReplicationFactorChange
	for _, t := range req.Topics {
		topic := kmsg.NewAlterPartitionAssignmentsResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			code := f.reassignTo(topicPartition{t.Topic, p.Partition}, p.Replicas, req.AllowReplicationFactorChange)
			topic.Partitions = append(topic.Partitions, kmsg.AlterPartitionAssignmentsResponseTopicPartition{
				Partition: p.Partition, ErrorCode: code, ErrorMessage: textOf(code),
			})
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

// reassignTo returns the code of the partition's row. The leader stays if it keeps its replica; a replica that is
// removed begins a leader epoch in any case (PartitionChangeBuilder).
func (f *Front) reassignTo(where topicPartition, replicas []int32, resizes bool) int16 {
	was, ok := f.newest().Partition(where.topic, where.partition)
	switch {
	case !ok:
		return unknownTopic
	case replicas == nil: // a cancellation
		return noReassignment
	case !validReplicas(replicas):
		return invalidAssignment
	case !resizes && len(replicas) != len(was.Replicas):
		return invalidReplication
	}
	next := f.newest().Next()
	p := &next.Topics[where.topic].Partitions[where.partition]
	p.Replicas = replicas
	leader := p.Leader
	if !slices.Contains(replicas, leader) {
		if leader = f.eligibleLeader(next, *p, -1); leader == -1 {
			return invalidAssignment // the old replicas stay where none of the new ones can lead
		}
	}
	removed := slices.ContainsFunc(was.Replicas, func(b int32) bool { return !slices.Contains(replicas, b) })
	if leader != was.Leader || removed {
		if err := f.elect(p, where, leader); err != nil {
			return unknownServerError
		}
	}
	if leader != was.Leader {
		f.log.Add(movedEvent(leader, noHit, where, ""))
		f.track(announcement{where: where, target: leader, old: was.Leader})
	}
	f.publish(next)
	return 0
}
