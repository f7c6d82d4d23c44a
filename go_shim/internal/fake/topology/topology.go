// Package topology holds the state of the cluster as immutable values, and the part of it that each broker shows.
package topology

import (
	"maps"
	"slices"
	"time"
)

// Brokers are the node ids of the cluster.
var Brokers = []int32{1, 2, 3}

// Partition is one partition at one time.
type Partition struct {
	Leader   int32 // -1 = none
	Epoch    int32
	Replicas []int32 // in assignment order, fixed
	Offline  []int32 // replicas on a failed log dir of a live broker
	Lagging  []int32 // replicas that get no records any more: out of sync, and they serve readers
	Terms    []Term  // all leader epochs so far, oldest first
	Hinted   bool    // without a leader: replicas hint at leader -1 (KIP-951)
}

// Term is a leader epoch and the log end offset at its beginning.
type Term struct {
	Epoch int32
	Start int64
}

// EndOf answers OffsetForLeaderEpoch for an epoch before the current one, as LeaderEpochFileCache.endOffsetFor does:
// the newest epoch that is not larger, and the start offset of the epoch after it. `ok` is false for the current epoch
// and later ones.
func (p Partition) EndOf(epoch int32) (term int32, end int64, ok bool) {
	for i, next := range p.Terms {
		if next.Epoch > epoch {
			if i == 0 {
				return epoch, next.Start, true
			}
			return p.Terms[i-1].Epoch, next.Start, true
		}
	}
	return -1, -1, false
}

// Topic is one topic at one time.
type Topic struct {
	ID         [16]byte
	Internal   bool
	Partitions []Partition
}

// Key names a coordinator: type 0 group, 1 transaction.
type Key struct {
	Type int8
	Name string
}

// Topology is the whole cluster at one time. It does not change after it was published.
type Topology struct {
	At           time.Time
	Controller   int32   // the broker that was elected controller; 0 = the first one is in office
	Gone         []int32 // brokers that are missing from Metadata
	Topics       map[string]Topic
	Coordinators map[Key]int32 // only moved keys; -1 = none
	successors   map[int32]int32
}

// Next returns a copy to change and publish.
func (t *Topology) Next() *Topology {
	next := &Topology{Controller: t.Controller, Gone: slices.Clone(t.Gone), Topics: make(map[string]Topic, len(t.Topics)), Coordinators: maps.Clone(t.Coordinators), successors: maps.Clone(t.successors)}
	for name, topic := range t.Topics {
		topic.Partitions = slices.Clone(topic.Partitions)
		next.Topics[name] = topic
	}
	if next.Coordinators == nil {
		next.Coordinators = map[Key]int32{}
	}
	return next
}

// MoveCoordinators moves all keys that a broker coordinates to another broker, except keys that were moved by name.
func (t *Topology) MoveCoordinators(broker, successor int32) {
	successors := map[int32]int32{}
	for from, to := range t.successors {
		successors[from] = to
		if to == broker {
			successors[from] = successor
		}
	}
	if _, moved := successors[broker]; !moved {
		successors[broker] = successor
	}
	for key, node := range t.Coordinators {
		if node == broker {
			t.Coordinators[key] = successor
		}
	}
	t.successors = successors
}

// Successor returns the present coordinator of the keys that `broker` coordinated at first.
func (t *Topology) Successor(broker int32) int32 {
	if successor, moved := t.successors[broker]; moved {
		return successor
	}
	return broker
}

// Partition returns a partition, if there is one.
func (t *Topology) Partition(topic string, partition int32) (Partition, bool) {
	found, ok := t.Topics[topic]
	if !ok || partition < 0 || int(partition) >= len(found.Partitions) {
		return Partition{}, false
	}
	return found.Partitions[partition], true
}

// Alive reports whether Metadata lists a broker.
func (t *Topology) Alive(broker int32) bool { return !slices.Contains(t.Gone, broker) }

// Living returns the brokers that Metadata lists.
func (t *Topology) Living() []int32 {
	return slices.DeleteFunc(slices.Clone(Brokers), func(b int32) bool { return !t.Alive(b) })
}

// NameOf resolves a topic id; empty if no topic has it.
func (t *Topology) NameOf(id [16]byte) string {
	for name, topic := range t.Topics {
		if topic.ID == id {
			return name
		}
	}
	return ""
}

// ISR returns the in-sync replicas: those that serve and do not lag.
func (t *Topology) ISR(p Partition) []int32 {
	return slices.DeleteFunc(t.Serving(p), func(b int32) bool { return slices.Contains(p.Lagging, b) })
}

// Serving returns the replicas that serve readers: those that are not offline, on listed brokers.
func (t *Topology) Serving(p Partition) []int32 {
	return slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return t.offline(p, b) })
}

// Offline returns the replicas that serve nobody.
func (t *Topology) Offline(p Partition) []int32 {
	return slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return !t.offline(p, b) })
}

func (t *Topology) offline(p Partition, broker int32) bool {
	return !t.Alive(broker) || slices.Contains(p.Offline, broker)
}

// View selects the topology that a broker shows.
type View struct {
	Lag    time.Duration
	Since  time.Time // begin of the lag: topologies before it stay visible
	Hidden []string  // topics that it does not list, and partitions as TOPIC/NUMBER
	Frozen time.Time // time of the topology that it shows; zero = not frozen
}

// Shown returns the topology, from a list in order of time, that a broker with this view shows.
func Shown(list []*Topology, view View, now time.Time) *Topology {
	at := now.Add(-view.Lag)
	if at.Before(view.Since) {
		at = view.Since
	}
	if !view.Frozen.IsZero() {
		at = view.Frozen
	}
	for i := len(list) - 1; i > 0; i-- {
		if !list[i].At.After(at) {
			return list[i]
		}
	}
	return list[0]
}
