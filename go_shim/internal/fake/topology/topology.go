// Package topology holds what the cluster looks like, as immutable values, and what each broker knows of it.
package topology

import (
	"maps"
	"slices"
	"time"
)

// Brokers are the node ids that the cluster has.
var Brokers = []int32{1, 2, 3}

// Partition is one partition at one time.
type Partition struct {
	Leader   int32 // -1 = none
	Epoch    int32
	Replicas []int32 // in assignment order, fixed
	Offline  []int32 // replicas on a dead log dir of a living broker
	Terms    []Term  // every term of office so far, oldest first
}

// Term is a leader epoch and the end of the log when it began.
type Term struct {
	Epoch int32
	Start int64
}

// EndOf answers OffsetForLeaderEpoch for an epoch before the current one, as LeaderEpochFileCache.endOffsetFor does:
// the newest term up to it, and where the next one began. It is false for the current epoch and beyond.
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

// Topology is the whole cluster at one time. It is never changed once published.
type Topology struct {
	At           time.Time
	Gone         []int32 // brokers that left Metadata
	Topics       map[string]Topic
	Coordinators map[Key]int32 // only those that moved; -1 = nobody
	heirs        map[int32]int32
}

// Next copies a topology so that the copy may be changed and published.
func (t *Topology) Next() *Topology {
	next := &Topology{Gone: slices.Clone(t.Gone), Topics: make(map[string]Topic, len(t.Topics)), Coordinators: maps.Clone(t.Coordinators), heirs: maps.Clone(t.heirs)}
	for name, topic := range t.Topics {
		topic.Partitions = slices.Clone(topic.Partitions)
		next.Topics[name] = topic
	}
	if next.Coordinators == nil {
		next.Coordinators = map[Key]int32{}
	}
	return next
}

// Bequeath gives all keys that a broker coordinates, and that no one has moved by name, to another.
func (t *Topology) Bequeath(broker, heir int32) {
	heirs := map[int32]int32{}
	for from, to := range t.heirs {
		heirs[from] = to
		if to == broker {
			heirs[from] = heir
		}
	}
	if _, away := heirs[broker]; !away {
		heirs[broker] = heir
	}
	for key, node := range t.Coordinators {
		if node == broker {
			t.Coordinators[key] = heir
		}
	}
	t.heirs = heirs
}

// Heir is who coordinates now what a broker did in the beginning.
func (t *Topology) Heir(broker int32) int32 {
	if heir, away := t.heirs[broker]; away {
		return heir
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

// ISR returns the replicas in sync: those that are not offline, on living brokers.
func (t *Topology) ISR(p Partition) []int32 {
	return slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return t.offline(p, b) })
}

// Offline returns the replicas that ISR leaves out.
func (t *Topology) Offline(p Partition) []int32 {
	return slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return !t.offline(p, b) })
}

func (t *Topology) offline(p Partition, broker int32) bool {
	return !t.Alive(broker) || slices.Contains(p.Offline, broker)
}

// View says which topology a broker shows.
type View struct {
	Lag    time.Duration
	Since  time.Time // when it fell behind: what was known by then stays known
	Hidden []string  // topics that it does not know
	Frozen time.Time // shows what was in force then; zero = not frozen
}

// Shown picks from the list, oldest first, what a broker with this view shows.
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
