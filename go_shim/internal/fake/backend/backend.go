// Package backend is the state machine of the fake cluster: one kfake cluster that only in-memory listeners reach.
package backend

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Controller is the node that executes topic changes in kfake. The front sends those requests to it from any broker, as
// KRaft brokers forward them.
const Controller int32 = 3

// internalPartitions is the number of partitions of the internal topics; clients only test their existence.
const internalPartitions = 3

// Backend is one kfake cluster with nodes 1 to 3.
type Backend struct {
	kafka   *kfake.Cluster
	nodes   map[int32]*memory
	release *release.Release

	idleMu sync.Mutex
	idle   map[int32][]*Pipe // idle connections of the fake cluster itself, by node
}

// Start starts a cluster that advertises these host:port addresses, of nodes 1 to 3 in this order. Without an id it has
// one that follows from release and addresses.
func Start(r *release.Release, advertise []string, id string) (*Backend, error) {
	if id == "" {
		id = clusterID(r.Name, advertise)
	}
	b := &Backend{nodes: map[int32]*memory{}, release: r, idle: map[int32][]*Pipe{}}
	next := int32(0)
	kafka, err := kfake.NewCluster(
		kfake.NumBrokers(len(topology.Brokers)+1), // kfake numbers nodes from 0, Kafka's own scripts from 1
		kfake.MaxVersions(capsOf(r)),
		kfake.ClusterID(id),
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
	if err := kafka.RemoveNode(0); err != nil { // before any topic exists, since removal re-elects every leader
		return nil, fmt.Errorf("state machine: %w", err)
	}
	return b, nil
}

// clusterID returns an id of the form that StorageTool gives, 16 bytes of which the first character is no dash: the same
// for the same release and addresses. Clients see it in Metadata and DescribeCluster, and newer ones say it in
// ApiVersions (KIP-1242).
func clusterID(line string, advertise []string) string {
	digest := sha256.Sum256([]byte(line + " " + strings.Join(advertise, " ")))
	digest[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(digest[:16])
}

// capsOf returns the highest versions of the state machine: those of the release, DescribeTransactions (since 3.0) for
// the fake cluster's own questions, and the version of OffsetForLeaderEpoch that older ones become.
func capsOf(r *release.Release) *kversion.Versions {
	caps := r.Versions() // r.Caps must not change: it says what clients are offered
	caps.SetMaxKeyVersion(int16(kmsg.DescribeTransactions), 0)
	if highest, known := caps.LookupMaxKeyVersion(int16(kmsg.OffsetForLeaderEpoch)); known {
		caps.SetMaxKeyVersion(int16(kmsg.OffsetForLeaderEpoch), max(highest, epochsSince))
	}
	return caps
}

// Close stops the cluster.
func (b *Backend) Close() { b.kafka.Close() }

// CreateTopic creates a topic whose partitions are led by the given nodes. It returns the topic's id and first leader
// epochs.
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

// CreateInternal creates the topics that brokers create by themselves. sarama waits for them before its first
// FindCoordinator.
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

// Partition returns a partition's state; nil if there is none.
func (b *Backend) Partition(topic string, partition int32) *kfake.PartitionInfo {
	return b.kafka.PartitionInfo(topic, partition)
}

// DeleteTopic deletes a topic.
func (b *Backend) DeleteTopic(topic string) error { return b.kafka.DeleteTopic(topic) }

// Move elects a partition's leader (also the present one: a new epoch) and returns the leader epoch that begins.
// Records appended during the move count as before that epoch, so no client detects a truncation.
func (b *Backend) Move(topic string, partition, to int32) (topology.Term, error) {
	if err := b.kafka.MoveTopicPartition(topic, partition, to); err != nil {
		return topology.Term{}, fmt.Errorf("move %s/%d to %d: %w", topic, partition, to, err)
	}
	info := b.kafka.PartitionInfo(topic, partition)
	return topology.Term{Epoch: info.Epoch, Start: info.HighWatermark}, nil
}

// Leader returns the node that accepts writes; -1 if the partition does not exist.
func (b *Backend) Leader(topic string, partition int32) int32 {
	return b.kafka.LeaderFor(topic, partition)
}

// Followers sets the nodes that serve fetches.
func (b *Backend) Followers(topic string, partition int32, nodes []int32) {
	b.kafka.SetFollowers(topic, partition, nodes)
}

// Topic returns a topic's id and current partitions; false if there is no such topic.
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

// CoordinatorOf returns the node that serves a key inside kfake; no other node serves it.
func (b *Backend) CoordinatorOf(key string) int32 { return b.kafka.CoordinatorFor(key) }

// Group returns a group's state; nil if there is none.
func (b *Backend) Group(group string) *kfake.GroupInfo { return b.kafka.GroupInfo(group) }

// Offered returns the version ranges of kfake, capped to this release.
func (b *Backend) Offered() ([]kmsg.ApiVersionsResponseApiKey, error) {
	resp, err := b.Ask(Controller, kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		return nil, err
	}
	offered := slices.DeleteFunc(resp.(*kmsg.ApiVersionsResponse).ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool {
		return !b.release.Caps.HasKey(k.ApiKey)
	})
	for i := range offered {
		key := &offered[i]
		if kmsg.Key(key.ApiKey) == kmsg.OffsetForLeaderEpoch {
			key.MinVersion, key.MaxVersion = 0, b.version(kmsg.OffsetForLeaderEpoch, key.MaxVersion)
		}
	}
	return offered, nil
}

// Producer returns the id and epoch of a transactional id's present producer; false if there is none.
func (b *Backend) Producer(transactionalID string) (id int64, epoch int16, known bool, err error) {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{transactionalID}
	resp, err := b.Ask(b.CoordinatorOf(transactionalID), req)
	if err != nil {
		return 0, 0, false, err
	}
	for _, state := range resp.(*kmsg.DescribeTransactionsResponse).TransactionStates {
		return state.ProducerID, state.ProducerEpoch, state.ErrorCode == 0, nil
	}
	return 0, 0, false, nil
}

// Grow raises a topic's number of partitions to total.
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
