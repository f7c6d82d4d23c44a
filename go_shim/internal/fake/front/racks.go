package front

import (
	"fmt"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// nobody is the preferred read replica of a reader that stays where it asked.
const nobody int32 = -1

func checkRacks(r *clusterpb.Racks) error {
	if len(r.Names) != len(topology.Brokers) || slices.Contains(r.Names, "") {
		return fmt.Errorf("racks %q: give one for each of the %d brokers", r.Names, len(topology.Brokers))
	}
	return nil
}

func (f *Front) setRacks(r *clusterpb.Racks) {
	f.racks = map[int32]string{}
	for i, id := range topology.Brokers {
		f.racks[id] = r.Names[i]
	}
}

// rackOf returns the rack of a broker as Metadata has it; nil for none.
func (f *Front) rackOf(broker int32) *string {
	if rack, ok := f.racks[broker]; ok {
		return &rack
	}
	return nil
}

// preferredReplica returns the follower to which a leader sends a reader, as RackAwareReplicaSelector chooses it among the
// replicas in sync (ReplicaManager.findPreferredReadReplica, read in 3.9.2): a leader in the reader's rack keeps it.
func (f *Front) preferredReplica(broker int32, rack string, where topicPartition) int32 {
	top := f.newest()
	p, ok := top.Partition(where.topic, where.partition)
	if !ok || p.Leader != broker || f.racks[broker] == rack {
		return nobody
	}
	for _, follower := range top.ISR(p) {
		if f.racks[follower] == rack {
			return follower
		}
	}
	return nobody
}

// chooses reports whether a reader may be sent to a follower: from 2.4 on, by its rack (KIP-392).
func (x *exchange) chooses(req *kmsg.FetchRequest) bool {
	return x.conn.front.racks != nil && req.Rack != "" && x.conn.front.release.FollowerFetch(req.Version)
}

// sendsAway reports whether this broker sends a reader to a follower for one of its partitions. Such a request does not
// wait (ReplicaManager.fetchMessages).
func (x *exchange) sendsAway(req *kmsg.FetchRequest) bool {
	front := x.conn.front
	front.mu.Lock()
	defer front.mu.Unlock()
	if !x.chooses(req) {
		return false
	}
	for _, object := range x.call.Objects {
		if front.preferredReplica(x.conn.broker, req.Rack, topicPartition{object.Topic, object.Partition}) != nobody {
			return true
		}
	}
	return false
}

// editReaders turns rows of the state machine's answer into those of this replica: a leader names the follower to which
// it sends the reader in place of the records (ReplicaManager.readFromLog), and a follower that lags has no new ones. A
// row with an error stays. It reports whether records were left out.
func (x *exchange) editReaders(req *kmsg.FetchRequest, resp *kmsg.FetchResponse) (withheld bool) {
	front := x.conn.front
	front.mu.Lock()
	defer front.mu.Unlock()
	for _, t := range resp.Topics {
		name := t.Topic
		if name == "" {
			name = front.newest().NameOf(t.TopicID)
		}
		for i := range t.Partitions {
			row, where := &t.Partitions[i], topicPartition{name, t.Partitions[i].Partition}
			if row.ErrorCode != 0 {
				continue
			}
			if x.chooses(req) {
				row.PreferredReadReplica = front.preferredReplica(x.conn.broker, req.Rack, where)
			}
			if row.PreferredReadReplica != nobody || front.lags(x.conn.broker, where) {
				withheld = withheld || len(row.RecordBatches) > 0
				row.RecordBatches, row.AbortedTransactions = []byte{}, nil
			}
		}
	}
	return withheld
}

// lags reports whether a broker follows a partition and gets no records of it any more.
func (f *Front) lags(broker int32, where topicPartition) bool {
	p, ok := f.newest().Partition(where.topic, where.partition)
	return ok && slices.Contains(p.Lagging, broker)
}

func (f *Front) checkFailReplica(r *clusterpb.FailReplica) error {
	p, ok := f.newest().Partition(r.Topic, r.Partition)
	if !ok || !slices.Contains(p.Replicas, r.Broker) || p.Leader == r.Broker {
		return fmt.Errorf("fail replica: broker %d does not follow %s/%d", r.Broker, r.Topic, r.Partition)
	}
	return nil
}

// failReplica takes a follower out of the replicas in sync.
func (f *Front) failReplica(r *clusterpb.FailReplica) {
	next := f.newest().Next()
	p := &next.Topics[r.Topic].Partitions[r.Partition]
	if r.Lags {
		p.Lagging = append(slices.Clone(p.Lagging), r.Broker)
	} else {
		p.Offline = append(slices.Clone(p.Offline), r.Broker)
	}
	f.publish(next)
}
