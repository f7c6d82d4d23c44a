package front

import (
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/table"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Error codes that the front answers by itself.
const (
	unknownTopic           int16 = 3
	leaderNotAvailable     int16 = 5
	notLeader              int16 = 6
	coordinatorLoading     int16 = 14
	coordinatorUnavailable int16 = 15
	notCoordinator         int16 = 16
	unknownMember          int16 = 25
	rebalanceInProgress    int16 = 27
	unsupportedVersion     int16 = 35
	groupNotFound          int16 = 69
	sessionNotFound        int16 = 70
	fencedEpoch            int16 = 74
	unknownEpoch           int16 = 75
	unknownTopicID         int16 = 100
)

// callOf describes a request to the table. A Metadata row stands for each partition of its topic.
func (f *Front) callOf(broker int32, req kmsg.Request) *table.Call {
	call := wire.CallOf(broker, req, f.names)
	if metadata, ok := req.(*kmsg.MetadataRequest); ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		call.Objects = f.metadataObjects(metadata, call.Objects)
	}
	return call
}

func (f *Front) metadataObjects(req *kmsg.MetadataRequest, asked []table.Object) (objects []table.Object) {
	topics := map[string]bool{}
	switch {
	case wire.MetadataAll(req):
		for name := range f.newest().Topics {
			topics[name] = true
		}
	case len(req.Topics) > 0:
		for _, object := range asked {
			topics[object.Topic] = true
		}
	}
	for name := range topics {
		partitions := f.newest().Topics[name].Partitions
		for p := range partitions {
			objects = append(objects, table.Object{Topic: name, Partition: int32(p), Epoch: -1})
		}
		if len(partitions) == 0 {
			objects = append(objects, table.Object{Topic: name, Partition: -1, Epoch: -1})
		}
	}
	return objects // none for a request about brokers only: no row could carry an error
}

// decide asks the table, then the standing rules. It stamps first hits and starts the timers that hang on them.
func (f *Front) decide(call *table.Call, held map[string]bool) table.Verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.states[call.Broker] == clusterpb.BrokerState_HUNG {
		return table.Verdict{Kind: table.Park}
	}
	now := time.Now()
	verdict := f.table.Decide(call, f.leads(call.Broker), now, held)
	f.noteHits(verdict.Hits, call.Broker, now)
	f.noteSpent(verdict.Spent, call.Broker)
	if verdict.Kind != table.Forward {
		return verdict
	}
	for i, object := range call.Objects {
		code, ruled := verdict.Codes[i]
		if !ruled {
			code.Code = f.standing(call, object, now)
		}
		if code.Code = f.line.Code(call.API, call.Version, code.Code); code.Code == 0 {
			continue
		}
		if verdict.Codes == nil {
			verdict.Codes = map[int]table.Code{}
		}
		verdict.Codes[i] = code
	}
	return verdict
}

// standing is what a broker answers with no fault on: about partitions by who leads, about keys by who coordinates.
func (f *Front) standing(call *table.Call, object table.Object, now time.Time) int16 {
	switch {
	case wire.Splits(call.API):
		return f.leadership(call, object)
	case object.Keyed && kmsg.Key(call.API) != kmsg.FindCoordinator:
		return whileLoading(call, f.coordination(call.Broker, topology.Key{Type: object.KeyType, Name: object.Key}, now))
	}
	return 0
}

// leadership follows Partition.scala: a replica checks the epoch first, then whether it leads. From 2.4 on an in-sync
// replica serves Fetch v11 and later itself (measured on 3.9.2: SEMANTICS 6.3).
func (f *Front) leadership(call *table.Call, object table.Object) int16 {
	top := f.newest()
	p, ok := top.Partition(object.Topic, object.Partition)
	switch {
	case !ok || p.Leader == call.Broker: // the state machine knows the rest
		return 0
	case !slices.Contains(p.Replicas, call.Broker):
		return notLeader
	case object.Epoch != -1 && object.Epoch < p.Epoch:
		return fencedEpoch
	case object.Epoch != -1 && object.Epoch > p.Epoch:
		return unknownEpoch
	case kmsg.Key(call.API) == kmsg.Fetch && f.line.FollowerFetch(call.Version) && p.Leader > 0 &&
		slices.Contains(top.ISR(p), call.Broker):
		return 0
	}
	return notLeader
}

// coordination is the answer of a broker to a request about a coordinator's key.
func (f *Front) coordination(broker int32, key topology.Key, now time.Time) int16 {
	switch node := f.coordinator(f.newest(), key); {
	case node < 0:
		return coordinatorUnavailable
	case node != broker:
		return notCoordinator
	case now.Before(f.loading[key]):
		return coordinatorLoading
	}
	return 0
}

// whileLoading is what a loading coordinator says instead of 14 where old clients do not expect that: heartbeats are
// well, a sync must start over at the join (GroupCoordinator.handleHeartbeat, handleSyncGroup), and a transaction's
// offsets before v2 find nobody (KafkaApis.handleTxnOffsetCommitRequest).
func whileLoading(call *table.Call, code int16) int16 {
	switch {
	case code != coordinatorLoading:
		return code
	case kmsg.Key(call.API) == kmsg.Heartbeat:
		return 0
	case kmsg.Key(call.API) == kmsg.SyncGroup:
		return rebalanceInProgress
	case kmsg.Key(call.API) == kmsg.TxnOffsetCommit && call.Version < 2:
		return coordinatorUnavailable
	}
	return code
}

// coordinator is who coordinates a key in a topology; a key is registered when it is first seen, so that it can be
// moved with its broker.
func (f *Front) coordinator(top *topology.Topology, key topology.Key) int32 {
	if node, moved := top.Coordinators[key]; moved {
		return node
	}
	if _, known := f.homes[key]; !known {
		f.homes[key] = f.backend.CoordinatorOf(key.Name)
	}
	return top.Heir(f.homes[key])
}

// leads tells the table who leads, in force and not in any view.
func (f *Front) leads(broker int32) table.Leads {
	return func(topic string, partition int32) bool {
		p, ok := f.newest().Partition(topic, partition)
		return ok && p.Leader == broker
	}
}

// stands reports whether a rule is still in force.
func (f *Front) stands(rule string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.table.Has(rule, time.Now())
}
