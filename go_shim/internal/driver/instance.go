package driver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// noticeLimit is how many notices an instance keeps: a library that logs for ever must not fill the history, nor take
// the cores from the clients beside it.
const noticeLimit = 500

// Instance is the mouth of one running client: it stamps events, and lets exactly one of them be the last.
type Instance struct {
	name string
	out  *outbox

	mu      sync.Mutex
	ended   bool
	notices int
	chatter chatter
	client  Client
	pace    atomic.Int32 // milliseconds between operations

	bystander      int32
	bystanderLeast time.Duration // it is worked on as often at the most

	opened  chan struct{} // Open returned
	closing sync.Once
	closed  chan struct{} // the client is closed
}

func newInstance(start *driverpb.Start, out *outbox) *Instance {
	i := &Instance{name: start.Instance, out: out, opened: make(chan struct{}), closed: make(chan struct{})}
	i.pace.Store(start.IntervalMs)
	i.bystander, i.bystanderLeast = start.Bystander, time.Duration(start.BystanderMs)*time.Millisecond
	return i
}

// Name is the instance's unique name.
func (i *Instance) Name() string { return i.name }

// Interval is the time between operations, now.
func (i *Instance) Interval() time.Duration {
	return time.Duration(max(i.pace.Load(), 1)) * time.Millisecond
}

// IntervalOf returns what tells how often one partition is worked on: the bystander more seldom (driver.proto).
func (i *Instance) IntervalOf(partition int32) func() time.Duration {
	if partition != i.bystander {
		return i.Interval
	}
	return func() time.Duration { return max(i.Interval(), i.bystanderLeast) }
}

// Event adds an event that happened now; fields that do not apply are -1.
func (i *Instance) Event(kind driverpb.Kind, with ...func(*driverpb.Event)) {
	event := &driverpb.Event{ClockUs: Clock(), Kind: kind, Partition: -1, Sequence: -1, Offset: -1}
	for _, set := range with {
		set(event)
	}
	i.put(event)
}

// Ready reports the effective settings.
func (i *Instance) Ready(settings map[string]string) {
	i.Event(driverpb.Kind_READY, func(e *driverpb.Event) { e.Settings = settings })
}

// Sent reports that an operation begins; `clock` was taken before the library was called.
func (i *Instance) Sent(partition int32, sequence, clock int64) {
	i.Event(driverpb.Kind_SENT, At(partition, sequence), func(e *driverpb.Event) { e.ClockUs = clock })
}

// Fatal ends the instance: it is unusable. What comes later is not told, and the client is closed.
func (i *Instance) Fatal(failure *driverpb.Error, format string, args ...any) {
	i.Event(driverpb.Kind_FATAL, Failed(failure), Text(format, args...))
	i.release()
}

// Notice reports something that is no error of an operation; of an instance that has too many the first are kept.
func (i *Instance) Notice(format string, args ...any) {
	i.mu.Lock()
	i.notices++
	count := i.notices
	i.mu.Unlock()
	switch {
	case count < noticeLimit:
		i.Event(driverpb.Kind_NOTICE, Text(format, args...))
	case count == noticeLimit:
		i.Event(driverpb.Kind_NOTICE, Text("further notices are dropped"))
	}
}

// At sets partition and sequence.
func At(partition int32, sequence int64) func(*driverpb.Event) {
	return func(e *driverpb.Event) { e.Partition, e.Sequence = partition, sequence }
}

// Offset sets the offset.
func Offset(offset int64) func(*driverpb.Event) {
	return func(e *driverpb.Event) { e.Offset = offset }
}

// Failed sets the error.
func Failed(failure *driverpb.Error) func(*driverpb.Event) {
	return func(e *driverpb.Event) { e.Error = failure }
}

// Text sets the text.
func Text(format string, args ...any) func(*driverpb.Event) {
	return func(e *driverpb.Event) { e.Text = printable(fmt.Sprintf(format, args...)) }
}

func (i *Instance) put(event *driverpb.Event) {
	event.Instance = i.name
	i.mu.Lock()
	defer i.mu.Unlock() // held while adding, so that nothing follows the last event
	if i.ended {
		return
	}
	switch event.Kind {
	case driverpb.Kind_CLOSED, driverpb.Kind_FATAL, driverpb.Kind_UNSUPPORTED:
		i.ended = true
	}
	i.out.add(event)
}

// Ended says whether the last event was given.
func (i *Instance) Ended() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended
}

// open builds the client; it must run in a goroutine of its own.
func (i *Instance) open(library *Library, start *driverpb.Start) {
	defer close(i.opened)
	defer i.survive()
	client, err := library.Open(start, i)
	i.mu.Lock()
	i.client = client
	i.mu.Unlock()
	if err == nil {
		return
	}
	if refusal, is := err.(Unsupported); is {
		i.Event(driverpb.Kind_UNSUPPORTED, Text("%s", refusal.Text))
		return
	}
	i.Fatal(library.Describe(err), "the library could not be constructed")
}

// survive turns a panic of the library in this goroutine into the instance's end; others in the process live on.
func (i *Instance) survive() {
	if trouble := recover(); trouble != nil {
		i.Fatal(&driverpb.Error{Code: -1, Type: "panic", Text: printable(fmt.Sprint(trouble))}, "the library panicked")
	}
}

// release closes the client once it was built, once; the channel closes when the library says that it is closed.
func (i *Instance) release() <-chan struct{} {
	i.closing.Do(func() {
		go func() {
			defer close(i.closed)
			defer i.survive()
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

// stop closes the client; `closed`, or `fatal` where the library hangs, is given before the deadline.
func (i *Instance) stop(deadline time.Duration) {
	// A tenth, at most 100 ms, is left for the way to the orchestrator.
	select {
	case <-i.release():
		i.Event(driverpb.Kind_CLOSED)
	case <-time.After(deadline - min(deadline/10, 100*time.Millisecond)):
		i.Fatal(nil, "close did not return in %d ms", deadline.Milliseconds())
	}
}
