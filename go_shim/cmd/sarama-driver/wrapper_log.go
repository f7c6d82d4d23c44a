//go:build watermill

package main

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// What the wrapper logs (pkg/kafka, publisher.go and subscriber.go).
const (
	logSent        = "Message sent to Kafka"
	logOfChannel   = "Sarama internal error"
	logConsume     = "Group consume error"
	logReconnect   = "Cannot reconnect messages consumer"
	logOfPartition = "Cannot close partition consumer"
)

// place is where a message was stored.
type place struct {
	partition int32
	offset    int64
}

// wrapperLog is the application's logger (watermill.LoggerAdapter), the only way in which the wrapper reports the errors of
// a reader. These are reported as sarama's driver reports them from the library's channel; every line of level info or error
// is a notice as well.
type wrapperLog struct {
	driver.EarlyLog
	ready   chan struct{} // closed after `ready` was reported, or when there is no client
	closing atomic.Bool

	mu     sync.Mutex
	places map[string]place // by the message's UUID
}

func newWrapperLog(out *driver.Instance) *wrapperLog {
	return &wrapperLog{EarlyLog: driver.EarlyLog{Out: out}, ready: make(chan struct{}), places: map[string]place{}}
}

// begin reports `ready`.
func (l *wrapperLog) begin(settings map[string]string) {
	l.Begin(settings, runs())
	close(l.ready)
}

// Error is called by goroutines of the wrapper for errors of reading, which wait until `ready` was reported.
func (l *wrapperLog) Error(msg string, err error, _ watermill.LogFields) {
	l.Line("log: error: "+msg+": "+err.Error(), true)
	switch msg {
	case logOfChannel:
		<-l.ready
		reportReading(l.Out, err, ofBackgroundCommit)
	case logConsume, logReconnect:
		<-l.ready
		l.Out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Failed(describe(err)))
	case logOfPartition:
		l.partition(err)
	}
}

// partition reports the errors that a partition's reader left behind, all at once when it ends; those left behind when the
// application closes it are notices only.
func (l *wrapperLog) partition(err error) {
	left, is := err.(sarama.ConsumerErrors)
	if !is || l.closing.Load() {
		return
	}
	<-l.ready
	for _, one := range left {
		reportReading(l.Out, one, ofBackgroundCommit)
	}
}

// ofBackgroundCommit reports whether an error of a partition is that of a commit, by its code alone.
func ofBackgroundCommit(code int32) bool { return slices.Contains(commitCodes, code) }

func (l *wrapperLog) Info(msg string, fields watermill.LogFields) {
	line := "log: info: " + msg
	if text, has := fields["err"].(string); has {
		line += ": " + text
	}
	l.Line(line, false)
}

func (l *wrapperLog) Debug(string, watermill.LogFields) {}

// Trace keeps where a message was stored, which Publish does not return.
func (l *wrapperLog) Trace(msg string, fields watermill.LogFields) {
	if msg != logSent {
		return
	}
	id, _ := fields["message_uuid"].(string)
	partition, _ := fields["kafka_partition"].(int32)
	offset, _ := fields["kafka_partition_offset"].(int64)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places[id] = place{partition, offset}
}

// place returns where a message was stored; it is called once, after Publish.
func (l *wrapperLog) place(id string) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.places[id]
	delete(l.places, id)
	return found
}

// With is for fields of every line, of which none is reported.
func (l *wrapperLog) With(watermill.LogFields) watermill.LoggerAdapter { return l }
