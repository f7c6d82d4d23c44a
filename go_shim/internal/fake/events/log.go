// Package events is the engine's truth: an append-only log that any number of watchers read from its beginning.
package events

import (
	"context"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"golang.org/x/sys/unix"
)

// Log holds events in the order in which they happened.
type Log struct {
	mu     sync.Mutex
	events []*clusterpb.Event
	grown  chan struct{}
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{grown: make(chan struct{})} }

// start is one moment on both of its clocks. The runtime's own runs on CLOCK_MONOTONIC as well but hides its zero; it is
// read without a system call, which costs a process that mostly sleeps more than the call itself (front/socket.go).
var start, startNano = time.Now(), monotonic()

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // cannot fail for this clock
	}
	return ts.Nano()
}

// Now is CLOCK_MONOTONIC in microseconds, the machine's own, which the orchestrator reads as well.
func Now() int64 { return (startNano + time.Since(start).Nanoseconds()) / 1000 }

// Add stamps an event and appends it; it returns the stamp.
func (l *Log) Add(event *clusterpb.Event) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	event.AtUs = Now()
	l.events = append(l.events, event)
	close(l.grown)
	l.grown = make(chan struct{})
	return event.AtUs
}

// Watch gives every event to each, from the first on, until the context ends or each fails.
func (l *Log) Watch(ctx context.Context, each func(*clusterpb.Event) error) error {
	for next := 0; ; {
		l.mu.Lock()
		fresh, grown := l.events[next:], l.grown
		l.mu.Unlock()
		for _, event := range fresh {
			if err := each(event); err != nil {
				return err
			}
		}
		next += len(fresh)
		if len(fresh) > 0 {
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
