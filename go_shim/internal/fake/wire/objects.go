package wire

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Names resolves a topic id to the topic's name; empty if no topic has it.
type Names func(id [16]byte) string

// Key types of coordinators.
const (
	Group       int8 = 0
	Transaction int8 = 1
)

// CallOf describes a request in the terms of the rules.
func CallOf(broker int32, req kmsg.Request, names Names) *rules.Call {
	call := &rules.Call{Broker: broker, API: req.Key(), Version: req.GetVersion()}
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		call.Acks = r.Acks
		call.Objects = rowsOfProduce(r, names)
	case *kmsg.FetchRequest:
		call.Objects = rowsOfFetch(r, names)
	case *kmsg.ShareFetchRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				call.Objects = append(call.Objects, rules.Object{Topic: names(t.TopicID), Partition: p.Partition, Epoch: -1})
			}
		}
	case *kmsg.ShareAcknowledgeRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				call.Objects = append(call.Objects, rules.Object{Topic: names(t.TopicID), Partition: p.Partition, Epoch: -1})
			}
		}
	case *kmsg.ListOffsetsRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				call.Objects = append(call.Objects, rules.Object{Topic: t.Topic, Partition: p.Partition, Epoch: p.CurrentLeaderEpoch})
			}
		}
	case *kmsg.OffsetForLeaderEpochRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				call.Objects = append(call.Objects, rules.Object{Topic: t.Topic, Partition: p.Partition, Epoch: p.CurrentLeaderEpoch})
			}
		}
	case *kmsg.MetadataRequest:
		call.Objects = rowsOfMetadata(r, names)
	case *kmsg.ApiVersionsRequest:
		if r.ClusterID != nil { // it names a node (KIP-1242), as a row names a leader epoch
			call.Objects = []rules.Object{{Partition: -1, Epoch: r.NodeID}}
		}
	default:
		call.Objects, call.Topics = keysOf(req), topicsOf(req, names)
	}
	if len(call.Objects) == 0 {
		call.Objects = []rules.Object{{Partition: -1, Epoch: -1}}
	}
	return call
}

func rowsOfProduce(r *kmsg.ProduceRequest, names Names) (rows []rules.Object) {
	for _, t := range r.Topics {
		topic := named(t.Topic, t.TopicID, names)
		for _, p := range t.Partitions {
			rows = append(rows, rules.Object{Topic: topic, Partition: p.Partition, Epoch: -1})
		}
	}
	return rows
}

func rowsOfFetch(r *kmsg.FetchRequest, names Names) (rows []rules.Object) {
	for _, t := range r.Topics {
		topic := named(t.Topic, t.TopicID, names)
		for _, p := range t.Partitions {
			rows = append(rows, rules.Object{Topic: topic, Partition: p.Partition, Epoch: p.CurrentLeaderEpoch})
		}
	}
	return rows
}

// rowsOfMetadata returns whole topics. A request for all topics is one object with an empty name, and so is a request
// for brokers only, which has no subject: callers distinguish the two by MetadataAll.
func rowsOfMetadata(r *kmsg.MetadataRequest, names Names) (rows []rules.Object) {
	for _, t := range r.Topics {
		topic := names(t.TopicID)
		if t.Topic != nil {
			topic = *t.Topic
		}
		rows = append(rows, rules.Object{Topic: topic, Partition: -1, Epoch: -1})
	}
	return rows
}

// MetadataAll reports whether a Metadata request asks for every topic.
func MetadataAll(r *kmsg.MetadataRequest) bool {
	return r.Topics == nil || r.Version == 0 && len(r.Topics) == 0
}

func named(topic string, id [16]byte, names Names) string {
	if topic != "" {
		return topic
	}
	return names(id)
}

// keysOf returns the coordinator keys of a request; none if no coordinator serves it.
func keysOf(req kmsg.Request) []rules.Object {
	switch r := req.(type) {
	case *kmsg.FindCoordinatorRequest:
		if r.Version <= 3 {
			return keyed(r.CoordinatorType, r.CoordinatorKey)
		}
		return keyed(r.CoordinatorType, r.CoordinatorKeys...)
	case *kmsg.OffsetCommitRequest:
		return keyed(Group, r.Group)
	case *kmsg.OffsetFetchRequest:
		if r.Version <= 7 {
			return keyed(Group, r.Group)
		}
		var groups []string
		for _, g := range r.Groups {
			groups = append(groups, g.Group)
		}
		return keyed(Group, groups...)
	case *kmsg.JoinGroupRequest:
		return keyed(Group, r.Group)
	case *kmsg.SyncGroupRequest:
		return keyed(Group, r.Group)
	case *kmsg.HeartbeatRequest:
		return keyed(Group, r.Group)
	case *kmsg.LeaveGroupRequest:
		return keyed(Group, r.Group)
	case *kmsg.OffsetDeleteRequest:
		return keyed(Group, r.Group)
	case *kmsg.ConsumerGroupHeartbeatRequest:
		return keyed(Group, r.Group)
	case *kmsg.ShareGroupHeartbeatRequest:
		return keyed(Group, r.GroupID)
	case *kmsg.DescribeGroupsRequest:
		return keyed(Group, r.Groups...)
	case *kmsg.ConsumerGroupDescribeRequest:
		return keyed(Group, r.Groups...)
	case *kmsg.DeleteGroupsRequest:
		return keyed(Group, r.Groups...)
	case *kmsg.TxnOffsetCommitRequest:
		return keyed(Group, r.Group)
	}
	return transactionsOf(req)
}

func transactionsOf(req kmsg.Request) []rules.Object {
	switch r := req.(type) {
	case *kmsg.InitProducerIDRequest:
		if r.TransactionalID != nil {
			return keyed(Transaction, *r.TransactionalID)
		}
	case *kmsg.AddPartitionsToTxnRequest:
		switch {
		case r.Version <= 3:
			return keyed(Transaction, r.TransactionalID)
		case len(r.Transactions) == 1:
			return keyed(Transaction, r.Transactions[0].TransactionalID)
		}
	case *kmsg.AddOffsetsToTxnRequest:
		return keyed(Transaction, r.TransactionalID)
	case *kmsg.EndTxnRequest:
		return keyed(Transaction, r.TransactionalID)
	case *kmsg.DescribeTransactionsRequest:
		return keyed(Transaction, r.TransactionalIDs...)
	}
	return nil
}

func keyed(kind int8, names ...string) []rules.Object {
	objects := make([]rules.Object, 0, len(names))
	for _, name := range names {
		objects = append(objects, rules.Object{Keyed: true, KeyType: kind, Key: name, Partition: -1, Epoch: -1})
	}
	return objects
}

// topicsOf returns the partitions of a keyed request, for rules with a topic.
func topicsOf(req kmsg.Request, names Names) (rows []rules.Object) {
	switch r := req.(type) {
	case *kmsg.OffsetCommitRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				rows = append(rows, rules.Object{Topic: named(t.Topic, t.TopicID, names), Partition: p.Partition})
			}
		}
	case *kmsg.TxnOffsetCommitRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				rows = append(rows, rules.Object{Topic: named(t.Topic, t.TopicID, names), Partition: p.Partition})
			}
		}
	case *kmsg.AddPartitionsToTxnRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				rows = append(rows, rules.Object{Topic: t.Topic, Partition: p})
			}
		}
	}
	return rows
}
