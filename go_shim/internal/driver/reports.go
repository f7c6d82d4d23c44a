package driver

import (
	"fmt"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// noticeLimit is the number of notices that are kept per instance, so that endless logging neither fills the history nor
// takes CPU from other clients.
const noticeLimit = 500

// Event reports an event that happened now; fields that do not apply are -1.
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

// Sent reports that an operation begins; `clock` was read before the call of the library.
func (i *Instance) Sent(partition int32, sequence, clock int64) {
	i.Event(driverpb.Kind_SENT, At(partition, sequence), func(e *driverpb.Event) { e.ClockUs = clock })
}

// Received reports a record, and returns when the application has handled it.
func (i *Instance) Received(partition int32, offset int64, value []byte) {
	i.Event(driverpb.Kind_RECEIVED, Partition(partition), Offset(offset), func(e *driverpb.Event) {
		e.Value = strings.ToValidUTF8(string(value), "?")
	})
	i.Busy()
}

// Fatal ends the instance as unusable and closes the client. Later events are dropped.
func (i *Instance) Fatal(failure *driverpb.Error, format string, args ...any) {
	i.Event(driverpb.Kind_FATAL, Failed(failure), Text(format, args...))
	i.closeClient()
}

// Notice reports a message that is not the error of an operation. At most noticeLimit are kept.
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

// Partition sets the partition of an event without an operation.
func Partition(partition int32) func(*driverpb.Event) { return At(partition, -1) }

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
	defer i.mu.Unlock() // held during add, so that no event follows the last one
	if i.ended {
		return
	}
	switch event.Kind {
	case driverpb.Kind_CLOSED, driverpb.Kind_FATAL, driverpb.Kind_UNSUPPORTED:
		i.ended = true
	}
	i.out.add(event)
}
