// Package events is the ground truth of the fake cluster: an append-only log that any number of watchers read from its
// beginning.
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

// start is one moment on two clocks. The runtime's clock is CLOCK_MONOTONIC with a hidden zero; reading it needs no
// system call, which matters in a process that mostly sleeps (front/socket.go).
var start, startNano = time.Now(), monotonic()

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // cannot fail for this clock
	}
	return ts.Nano()
}

// Now returns CLOCK_MONOTONIC in microseconds, a clock that the orchestrator reads as well.
func Now() int64 { return (startNano + time.Since(start).Nanoseconds()) / 1000 }

// Add sets an event's time, appends it, and returns the time in microseconds.
func (l *Log) Add(event *clusterpb.Event) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	event.AtUs = Now()
	l.events = append(l.events, event)
	close(l.grown)
	l.grown = make(chan struct{})
	return event.AtUs
}

// Watch passes every event to `each`, from the first one on, until the context ends or `each` fails.
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
