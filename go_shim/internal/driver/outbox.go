package driver

import (
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	flushDelay = 20 * time.Millisecond
	batchLimit = 256
)

// outbox collects events and sends them in order, in batches: one event per message costs the orchestrator nine times
// as much as ten. add never blocks and never drops.
type outbox struct {
	mu     sync.Mutex
	events []*driverpb.Event
	wake   chan struct{} // at least one event is queued
	full   chan struct{} // a full batch is queued
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), full: make(chan struct{}, 1)}
}

func (o *outbox) add(event *driverpb.Event) {
	o.mu.Lock()
	o.events = append(o.events, event)
	size := len(o.events)
	o.mu.Unlock()
	signal(o.wake)
	if size >= batchLimit {
		signal(o.full)
	}
}

func (o *outbox) take() []*driverpb.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.events
	o.events = nil
	return taken
}

// run sends until `send` fails or `done` closes.
func (o *outbox) run(done <-chan struct{}, send func([]*driverpb.Event) error) {
	for {
		select {
		case <-o.wake:
		case <-done:
			return
		}
		select {
		case <-o.full:
		case <-time.After(flushDelay):
		case <-done:
			return
		}
		for rest := o.take(); len(rest) > 0; {
			batch := rest[:min(batchLimit, len(rest))]
			rest = rest[len(batch):]
			if send(batch) != nil {
				return
			}
		}
	}
}

func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}
