// Package backend is the state machine behind the front: one kfake cluster that only memory listeners reach.
package backend

import (
	"fmt"
	"net"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/line"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Controller is the node that kfake lets create and change topics. Any broker of ours may be asked, as KRaft forwards.
const Controller int32 = 3

// internalPartitions is how many partitions the internal topics have; clients only look whether they exist.
const internalPartitions = 3

// Backend is one kfake cluster with nodes 1 to 3.
type Backend struct {
	kafka *kfake.Cluster
	nodes map[int32]*memory
	line  *line.Line

	idleMu sync.Mutex
	idle   map[int32][]*Pipe // the engine's own connections, by node, that nobody uses now
}

// Start starts a cluster that advertises these host:port, of nodes 1 to 3 in this order.
func Start(l *line.Line, advertise []string) (*Backend, error) {
	b := &Backend{nodes: map[int32]*memory{}, line: l, idle: map[int32][]*Pipe{}}
	next := int32(0)
	kafka, err := kfake.NewCluster(
		kfake.NumBrokers(len(topology.Brokers)+1), // kfake counts from 0, Kafka's own scripts from 1
		kfake.MaxVersions(l.Caps),
		kfake.ListenFn(func(string, string) (net.Listener, error) {
			addr := "127.0.0.1:1"
			if next > 0 {
				addr = advertise[next-1]
			}
			b.nodes[next] = newMemory(addr)
			next++
			return b.nodes[next-1], nil
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("state machine: %w", err)
	}
	b.kafka = kafka
	if err := kafka.RemoveNode(0); err != nil { // before any topic exists, since it elects every leader anew
		return nil, fmt.Errorf("state machine: %w", err)
	}
	return b, nil
}

// Close stops the cluster.
func (b *Backend) Close() { b.kafka.Close() }

// CreateTopic creates a topic whose partitions are led by the given nodes, and returns its id and first terms.
func (b *Backend) CreateTopic(topic string, leaders []int32, internal bool) (id [16]byte, terms []topology.Term, err error) {
	config := map[string]string{}
	if internal {
		config["kfake.is_internal"] = "true"
	}
	if err := b.kafka.CreateTopic(topic, int32(len(leaders)), config); err != nil {
		return id, nil, fmt.Errorf("topic %q: %w", topic, err)
	}
	for p, leader := range leaders {
		term, err := b.Move(topic, int32(p), leader)
		if err != nil {
			return id, nil, err
		}
		terms = append(terms, term)
	}
	return b.kafka.TopicInfo(topic).TopicID, terms, nil
}

// CreateInternal creates the topics that brokers make for themselves; sarama waits for them before it asks who
// coordinates.
func (b *Backend) CreateInternal(create func(topic string, leaders []int32) error) error {
	leaders := make([]int32, internalPartitions)
	for p := range leaders {
		leaders[p] = topology.Brokers[p%len(topology.Brokers)]
	}
	for _, topic := range []string{"__consumer_offsets", "__transaction_state"} {
		if err := create(topic, leaders); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTopic deletes a topic.
func (b *Backend) DeleteTopic(topic string) error { return b.kafka.DeleteTopic(topic) }

// Move puts a partition's leader in office (also the one that it has: a new epoch) and returns the term that begins.
// What is written while it moves counts as before the term, so that no client thinks that it read what was lost.
func (b *Backend) Move(topic string, partition, to int32) (topology.Term, error) {
	if err := b.kafka.MoveTopicPartition(topic, partition, to); err != nil {
		return topology.Term{}, fmt.Errorf("move %s/%d to %d: %w", topic, partition, to, err)
	}
	info := b.kafka.PartitionInfo(topic, partition)
	return topology.Term{Epoch: info.Epoch, Start: info.HighWatermark}, nil
}

// Leader returns the node that takes writes, -1 if the partition does not exist.
func (b *Backend) Leader(topic string, partition int32) int32 {
	return b.kafka.LeaderFor(topic, partition)
}

// Followers sets which nodes serve fetches.
func (b *Backend) Followers(topic string, partition int32, nodes []int32) {
	b.kafka.SetFollowers(topic, partition, nodes)
}

// Topic returns a topic's id and partitions as they are now; false if there is no such topic.
func (b *Backend) Topic(topic string) (*kfake.TopicInfo, []*kfake.PartitionInfo, bool) {
	info := b.kafka.TopicInfo(topic)
	if info == nil {
		return nil, nil, false
	}
	return info, b.kafka.PartitionInfos(topic), true
}

// Topics lists the names of all topics.
func (b *Backend) Topics() ([]string, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 1 // null topics: all
	resp, err := b.Ask(Controller, req)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range resp.(*kmsg.MetadataResponse).Topics {
		if t.Topic != nil {
			names = append(names, *t.Topic)
		}
	}
	return names, nil
}

// CoordinatorOf returns the node that kfake itself holds responsible for a key; it alone serves the key.
func (b *Backend) CoordinatorOf(key string) int32 { return b.kafka.CoordinatorFor(key) }

// Group returns what is known of a group, nil if there is none.
func (b *Backend) Group(group string) *kfake.GroupInfo { return b.kafka.GroupInfo(group) }

// Offered returns the version ranges of kfake under this line's caps.
func (b *Backend) Offered() ([]kmsg.ApiVersionsResponseApiKey, error) {
	resp, err := b.Ask(Controller, kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		return nil, err
	}
	return resp.(*kmsg.ApiVersionsResponse).ApiKeys, nil
}

// Grow sends CreatePartitions.
func (b *Backend) Grow(topic string, total int32) error {
	req := kmsg.NewPtrCreatePartitionsRequest()
	t := kmsg.NewCreatePartitionsRequestTopic()
	t.Topic, t.Count = topic, total
	req.Topics = append(req.Topics, t)
	resp, err := b.Ask(Controller, req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.CreatePartitionsResponse).Topics {
		if t.ErrorCode != 0 {
			return fmt.Errorf("grow %s to %d: error code %d", topic, total, t.ErrorCode)
		}
	}
	return nil
}
