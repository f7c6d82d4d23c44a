package front

import (
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// announcement is a move that at least one healthy broker does not show yet. A healthy broker is up and not the old
// leader or coordinator.
type announcement struct {
	where  topicPartition
	key    *topology.Key // nil for a leader
	target int32
	old    int32
}

// same reports whether two announcements are about the same partition or key.
func (a announcement) same(b announcement) bool {
	if a.key == nil || b.key == nil {
		return a.key == b.key && a.where == b.where
	}
	return *a.key == *b.key
}

// track registers a move; an earlier announcement of the same object is dropped.
func (f *Front) track(a announcement) {
	f.announced = slices.DeleteFunc(f.announced, a.same)
	if a.target > 0 {
		f.announced = append(f.announced, a)
	}
}

// scheduleAnnouncements emits what is due, now and when every lagging broker has caught up.
func (f *Front) scheduleAnnouncements() {
	f.announce()
	if len(f.announced) == 0 {
		return
	}
	for _, view := range f.views {
		if view.Lag > 0 {
			time.AfterFunc(view.Lag+time.Millisecond, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.announce()
			})
		}
	}
}

// announce emits an event for every move that all healthy brokers show.
func (f *Front) announce() {
	f.announced = slices.DeleteFunc(f.announced, func(a announcement) bool {
		if !f.shown(a) {
			return false
		}
		event := &clusterpb.Event{
			Kind: clusterpb.Event_ANNOUNCED, Broker: a.target, Topic: a.where.topic, Partition: a.where.partition,
		}
		if a.key != nil {
			event.Key, event.Partition = a.key.Name, -1
		}
		f.log.Add(event)
		return true
	})
}

func (f *Front) shown(a announcement) bool {
	for _, broker := range topology.Brokers {
		if broker == a.old && a.old != a.target || f.states[broker] != clusterpb.BrokerState_UP {
			continue
		}
		view := f.view(broker)
		if a.key != nil {
			if f.coordinator(view, *a.key) != a.target {
				return false
			}
			continue
		}
		p, ok := view.Partition(a.where.topic, a.where.partition)
		if !ok || p.Leader != a.target || slices.Contains(f.views[broker].Hidden, a.where.topic) {
			return false
		}
	}
	return true
}

// setView changes the part of the cluster that one broker, or every broker, shows.
func (f *Front) setView(v *clusterpb.MetadataView) {
	now := time.Now()
	for _, id := range topology.Brokers {
		if v.Broker != 0 && v.Broker != id {
			continue
		}
		view := topology.View{Lag: time.Duration(v.LagMs) * time.Millisecond, Since: now, Hidden: v.HiddenTopics}
		if v.Frozen {
			view.Frozen = now
		}
		f.views[id] = view
	}
	f.wake()
	f.scheduleAnnouncements()
}
