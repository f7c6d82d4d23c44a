package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// pendingMove is the move of a key that has no coordinator until it completes.
type pendingMove struct {
	move  *clusterpb.MoveCoordinator
	hitMs int64
	old   int32
	timer *time.Timer
}

func (f *Front) moveCoordinator(m *clusterpb.MoveCoordinator, hitMs int64) {
	key := topology.Key{Type: int8(m.KeyType), Name: m.Key}
	f.completeCoordinatorMove(key) // a move under way completes first
	l := &pendingMove{move: m, hitMs: hitMs, old: f.coordinator(f.newest(), key)}
	f.pendingMoves[key] = l
	if m.GoneMs <= 0 {
		f.completeCoordinatorMove(key)
		return
	}
	next := f.newest().Next()
	next.Coordinators[key] = -1
	f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Partition: -1, Key: m.Key, Text: "no coordinator"})
	f.publish(next)
	gone := time.Duration(m.GoneMs) * time.Millisecond
	l.timer = time.AfterFunc(gone, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.pendingMoves[key] == l {
			if hitMs != noHit {
				l.hitMs = hitMs + gone.Milliseconds()
			}
			f.completeCoordinatorMove(key)
		}
	})
}

// completeCoordinatorMove elects the new coordinator of a key with a pending move.
func (f *Front) completeCoordinatorMove(key topology.Key) {
	l, ok := f.pendingMoves[key]
	if !ok {
		return
	}
	delete(f.pendingMoves, key)
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.move.LoadingMs > 0 {
		f.loading[key] = time.Now().Add(time.Duration(l.move.LoadingMs) * time.Millisecond)
	}
	next := f.newest().Next()
	next.Coordinators[key] = l.move.To
	f.log.Add(movedEvent(l.move.To, l.hitMs, topicPartition{partition: -1}, l.move.Key))
	f.track(announcement{key: &key, target: l.move.To, old: l.old})
	f.publish(next)
}
