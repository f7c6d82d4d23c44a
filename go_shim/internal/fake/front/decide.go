package front

import (
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Error codes that the front sends without a rule.
const (
	unknownServerError     int16 = -1
	unknownTopic           int16 = 3
	leaderNotAvailable     int16 = 5
	notLeader              int16 = 6
	coordinatorLoading     int16 = 14
	coordinatorUnavailable int16 = 15
	notCoordinator         int16 = 16
	invalidTopic           int16 = 17
	inconsistentProtocol   int16 = 23
	unknownMember          int16 = 25
	rebalanceInProgress    int16 = 27
	unsupportedVersion     int16 = 35
	invalidPartitions      int16 = 37
	invalidReplication     int16 = 38
	invalidAssignment      int16 = 39
	invalidConfig          int16 = 40
	invalidRequest         int16 = 42
	invalidProducerEpoch   int16 = 47
	securityDisabled       int16 = 54
	groupNotFound          int16 = 69
	sessionNotFound        int16 = 70
	fencedEpoch            int16 = 74
	unknownEpoch           int16 = 75
	noPreferredLeader      int16 = 80
	noEligibleLeader       int16 = 83
	electionNotNeeded      int16 = 84
	noReassignment         int16 = 85
	producerFenced         int16 = 90
	unknownTopicID         int16 = 100
	staleMemberEpoch       int16 = 113
	rebootstrapRequired    int16 = 129
)

// callOf describes a request in the terms of the rules. A Metadata row stands for every partition of its topic.
func (f *Front) callOf(c *conn, req kmsg.Request) *rules.Call {
	call := wire.CallOf(c.broker, req, f.names)
	call.Bootstrap = c.bootstrap
	if metadata, ok := req.(*kmsg.MetadataRequest); ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		call.Objects = f.metadataObjects(metadata, call.Objects)
	}
	return call
}

func (f *Front) metadataObjects(req *kmsg.MetadataRequest, asked []rules.Object) (objects []rules.Object) {
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
			objects = append(objects, rules.Object{Topic: name, Partition: int32(p), Epoch: -1})
		}
		if len(partitions) == 0 {
			objects = append(objects, rules.Object{Topic: name, Partition: -1, Epoch: -1})
		}
	}
	return objects // none for a request about brokers only: no row can carry an error
}

// decide asks the rules, then computes the default errors. It records first hits and starts the timers that depend on
// them.
func (f *Front) decide(call *rules.Call, held map[string]bool) rules.Decision {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.states[call.Broker] == clusterpb.BrokerState_HUNG {
		return rules.Decision{Kind: rules.Park}
	}
	now := time.Now()
	decision := f.rules.Decide(call, f.leads(call.Broker), now, held)
	f.noteHits(decision.Hits, call.Broker, now)
	f.noteSpent(decision.Spent, call.Broker)
	if decision.Kind != rules.Forward {
		return decision
	}
	for i, object := range call.Objects {
		code, ruled := decision.Codes[i]
		if !ruled {
			code.Code = f.brokerError(call, object, now)
		}
		if code.Code = f.release.Code(call.API, call.Version, code.Code); code.Code == 0 {
			continue
		}
		if decision.Codes == nil {
			decision.Codes = map[int]rules.Code{}
		}
		decision.Codes[i] = code
	}
	return decision
}

// brokerError returns the error of a broker without any fault: for partitions by leadership, for keys by coordinator.
func (f *Front) brokerError(call *rules.Call, object rules.Object, now time.Time) int16 {
	switch {
	case wire.Splits(call.API):
		return f.leadership(call, object)
	case object.Keyed && kmsg.Key(call.API) != kmsg.FindCoordinator:
		return whileLoading(call, f.coordination(call.Broker, topology.Key{Type: object.KeyType, Name: object.Key}, now))
	}
	return 0
}

// leadership follows Partition.scala: a replica checks the epoch first, then whether it leads. From 2.4 on a follower
// serves Fetch v11 and later itself, in sync or not (read on 3.9.2).
func (f *Front) leadership(call *rules.Call, object rules.Object) int16 {
	top := f.newest()
	p, ok := top.Partition(object.Topic, object.Partition)
	switch {
	case !ok || p.Leader == call.Broker: // the state machine answers
		return 0
	case !slices.Contains(p.Replicas, call.Broker):
		return notLeader
	case object.Epoch != -1 && object.Epoch < p.Epoch:
		return fencedEpoch
	case object.Epoch != -1 && object.Epoch > p.Epoch:
		return unknownEpoch
	case kmsg.Key(call.API) == kmsg.Fetch && f.release.FollowerFetch(call.Version) && p.Leader > 0 &&
		slices.Contains(top.Serving(p), call.Broker):
		return 0
	}
	return notLeader
}

// coordination returns a broker's error for a request about a coordinator's key.
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

// whileLoading replaces COORDINATOR_LOAD_IN_PROGRESS (14) where old clients do not expect it: heartbeats succeed, a
// sync must restart at the join (GroupCoordinator.handleHeartbeat, handleSyncGroup), and TxnOffsetCommit before v2 gets
// COORDINATOR_NOT_AVAILABLE (KafkaApis.handleTxnOffsetCommitRequest).
func whileLoading(call *rules.Call, code int16) int16 {
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

// coordinator returns the coordinator of a key in a topology. A key is recorded when it is first used, so that it moves
// with its broker.
func (f *Front) coordinator(top *topology.Topology, key topology.Key) int32 {
	if node, moved := top.Coordinators[key]; moved {
		return node
	}
	if _, known := f.initialCoordinators[key]; !known {
		f.initialCoordinators[key] = f.backend.CoordinatorOf(key.Name)
	}
	return top.Successor(f.initialCoordinators[key])
}

// leads answers from the current topology, not from a broker's view.
func (f *Front) leads(broker int32) rules.Leads {
	return func(topic string, partition int32) bool {
		p, ok := f.newest().Partition(topic, partition)
		return ok && p.Leader == broker
	}
}

// isActive reports whether a rule is still active.
func (f *Front) isActive(rule string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rules.Has(rule, time.Now())
}
