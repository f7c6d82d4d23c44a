package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Instance is one running client: its lifecycle here, its events in reports.go, of which exactly one is the last.
type Instance struct {
	name string
	out  *outbox

	mu       sync.Mutex
	ended    bool
	notices  int
	logRate  rateDetector
	client   Client
	interval atomic.Int32 // milliseconds between operations
	handler  atomic.Int32 // milliseconds that the application needs for the next record
	deadline atomic.Int64 // nanoseconds for closing, once that was asked for

	bystander         int32
	bystanderInterval time.Duration // shortest interval of the bystander

	opened  chan struct{} // Open returned
	asked   chan struct{} // closing was asked for
	closing sync.Once
	closed  chan struct{} // the client is closed
}

func newInstance(start *driverpb.Start, out *outbox) *Instance {
	i := &Instance{
		name: start.Instance, out: out,
		opened: make(chan struct{}), asked: make(chan struct{}), closed: make(chan struct{}),
	}
	i.interval.Store(start.IntervalMs)
	i.bystander, i.bystanderInterval = start.Bystander, time.Duration(start.BystanderMs)*time.Millisecond
	return i
}

// Name is the instance's unique name.
func (i *Instance) Name() string { return i.name }

// Interval returns the present time between operations.
func (i *Instance) Interval() time.Duration {
	return time.Duration(max(i.interval.Load(), 1)) * time.Millisecond
}

// IntervalOf returns the present interval of one partition: the bystander's is longer (driver.proto, bystander_ms).
func (i *Instance) IntervalOf(partition int32) func() time.Duration {
	if partition != i.bystander {
		return i.Interval
	}
	return func() time.Duration { return max(i.Interval(), i.bystanderInterval) }
}

// FlushTime returns the time that a final flush may take: two fifths of the deadline for closing, and at least `least`.
func (i *Instance) FlushTime(least time.Duration) time.Duration {
	return max(least, time.Duration(i.deadline.Load())*2/5)
}

// CloseTime returns the time that closing may take, the last of what is needed to end and to report that left out.
func (i *Instance) CloseTime() time.Duration {
	deadline := time.Duration(i.deadline.Load())
	return deadline - min(time.Second, deadline*2/5)
}

// Busy takes the time that the application needs for a record, or before it commits a transaction: none, unless Handle
// named one.
func (i *Instance) Busy() {
	if ms := i.handler.Swap(0); ms > 0 {
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-i.asked:
		}
	}
}

// Ended reports whether the last event was reported.
func (i *Instance) Ended() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended
}

// open builds the client, on a goroutine of its own.
func (i *Instance) open(library *Library, start *driverpb.Start) {
	defer close(i.opened)
	defer i.recoverPanic()
	client, err := library.Open(start, i)
	i.mu.Lock()
	i.client = client
	i.mu.Unlock()
	if err == nil {
		return
	}
	if refusal, ok := err.(Unsupported); ok {
		i.Event(driverpb.Kind_UNSUPPORTED, Text("%s", refusal.Text))
		return
	}
	i.Fatal(library.Describe(err), "the library could not be constructed")
}

// recoverPanic turns a panic of the library on this goroutine into the end of the instance; others in the process go
// on.
func (i *Instance) recoverPanic() {
	if cause := recover(); cause != nil {
		i.Fatal(&driverpb.Error{Code: -1, Type: "panic", Text: printable(fmt.Sprint(cause))}, "the library panicked")
	}
}

// closeClient closes the client once, after it was built; the channel closes when the library reports that it is
// closed.
func (i *Instance) closeClient() <-chan struct{} {
	i.closing.Do(func() {
		close(i.asked)
		go func() {
			defer close(i.closed)
			defer i.recoverPanic()
			<-i.opened
			i.mu.Lock()
			client := i.client
			i.mu.Unlock()
			if client != nil {
				client.Close()
			}
		}()
	})
	return i.closed
}

// stop closes the client. It reports `closed`, or `fatal` where the library blocks, before the deadline.
func (i *Instance) stop(deadline time.Duration) {
	i.deadline.Store(int64(deadline))
	// The last tenth, at most 100 ms, is for the transport to the orchestrator.
	select {
	case <-i.closeClient():
		i.Event(driverpb.Kind_CLOSED)
	case <-time.After(deadline - min(deadline/10, 100*time.Millisecond)):
		i.Fatal(nil, "close did not return in %d ms", deadline.Milliseconds())
	}
}
