package front

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// replicasOf returns the replicas that a new partition shall have; `leader` is the state machine's choice.
type replicasOf func(number int, leader int32) []int32

// wantedReplicas are those of a new topic's assignment, else `count` for each partition.
func wantedReplicas(topic kmsg.CreateTopicsRequestTopic, count int) replicasOf {
	assigned := map[int][]int32{}
	for _, assignment := range topic.ReplicaAssignment {
		assigned[int(assignment.Partition)] = assignment.Replicas
	}
	return func(number int, leader int32) []int32 {
		if replicas, ok := assigned[number]; ok {
			return replicas
		}
		return leaderFirst(leader)[:count]
	}
}

// refusedReplicas returns the error of a broker for replicas and partitions that a new topic cannot have.
func refusedReplicas(topic kmsg.CreateTopicsRequestTopic) (code int16, message string) {
	assigned := topic.ReplicaAssignment
	for _, partition := range assigned {
		if !validReplicas(partition.Replicas) || len(partition.Replicas) != len(assigned[0].Replicas) {
			return invalidAssignment, "Replicas must be brokers that exist, each once, as many for each partition."
		}
	}
	switch {
	case len(assigned) > 0:
		return 0, ""
	case topic.ReplicationFactor < -1 || topic.ReplicationFactor == 0:
		return invalidReplication, "The replication factor must be larger than 0, or -1 for the default."
	case topic.NumPartitions < -1 || topic.NumPartitions == 0:
		return invalidPartitions, "The number of partitions must be larger than 0, or -1 for the default."
	}
	return 0, ""
}

// createPartitions gives new partitions the replicas that a client asked for, else as many as partition 0 has.
func (x *exchange) createPartitions(req *kmsg.CreatePartitionsRequest) (kmsg.Response, error) {
	front, before := x.conn.front, map[string][]topology.Partition{}
	for _, topic := range req.Topics {
		before[topic.Topic] = front.partitions(topic.Topic)
	}
	resp, err := x.plain(req, wire.Codes{})
	if err != nil || req.ValidateOnly {
		return resp, err
	}
	for _, topic := range req.Topics {
		was := before[topic.Topic]
		if len(was) == 0 {
			continue
		}
		err := front.place(topic.Topic, len(was), func(number int, leader int32) []int32 {
			if added := number - len(was); added < len(topic.Assignment) {
				return topic.Assignment[added].Replicas
			}
			return leaderFirst(leader)[:len(was[0].Replicas)]
		})
		if err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// partitions returns the partitions of a topic; none if there is no such topic.
func (f *Front) partitions(topic string) []topology.Partition {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest().Topics[topic].Partitions
}

// place gives the partitions of a topic, from number `first` on, their replicas; the first of them that is up leads.
func (f *Front) place(name string, first int, replicas replicasOf) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.newest().Next()
	partitions := next.Topics[name].Partitions // none if the topic was deleted in the meantime
	for number := first; number < len(partitions); number++ {
		p := &partitions[number]
		p.Replicas = replicas(number, p.Leader)
		leader := f.eligibleLeader(next, *p, -1)
		if leader == -1 || leader == p.Leader {
			continue
		}
		if err := f.elect(p, topicPartition{name, int32(number)}, leader); err != nil {
			return err
		}
	}
	f.publish(next)
	return nil
}
