package main

import (
	"context"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The library has no limit of its own for the final flush, and calls back a little after its close returned.
const (
	shortestFlush = 2 * time.Second
	calledBack    = 200 * time.Millisecond
)

// writer passes records to a client and reports their results.
type writer struct {
	library *kgo.Client
	out     *driver.Instance
	start   *driverpb.Start
	offsets bool           // acknowledgements carry offsets
	pending sync.WaitGroup // records without a result
}

func newWriter(
	options []kgo.Opt, start *driverpb.Start, out *driver.Instance, more ...kgo.Opt,
) (*writer, error) {
	library, err := connect(options, start, out, more...)
	if err != nil {
		return nil, err
	}
	offsets := settings(library, start.Role)["acks"] != "0"
	return &writer{library: library, out: out, start: start, offsets: offsets}, nil
}

// write passes one record to the library; `done` is called with the result, after it was reported.
func (w *writer) write(partition int32, sequence int64, done func(error)) {
	clock := driver.Clock()
	w.out.Sent(partition, sequence, clock)
	record := &kgo.Record{
		Topic: w.start.Topic, Partition: partition, Key: driver.Key(w.start, sequence),
		Value: []byte(driver.Value(w.out.Name(), partition, sequence, clock)),
	}
	w.pending.Add(1)
	w.library.Produce(context.Background(), record, func(record *kgo.Record, err error) {
		defer w.pending.Done()
		defer done(err)
		if err != nil {
			w.out.Event(driverpb.Kind_SEND_ERROR, driver.At(partition, sequence), driver.Failed(describe(err)))
			return
		}
		offset := record.Offset
		if !w.offsets {
			offset = -1
		}
		w.out.Event(driverpb.Kind_ACKED, driver.At(record.Partition, sequence), driver.Offset(offset))
	})
}

// close flushes as an application does at its end; no write may follow. Records that are left then fail.
func (w *writer) close() {
	limit, cancel := context.WithTimeout(context.Background(), w.out.FlushTime(shortestFlush))
	defer cancel()
	if err := w.library.Flush(limit); err != nil {
		w.out.Notice("flush: %v", err)
	}
	w.library.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.pending.Wait()
	}()
	select {
	case <-done:
	case <-time.After(calledBack):
	}
}

func openProducer(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(options, start, out)
	if err != nil {
		return nil, err
	}
	return driver.StartProducer(out, start, w.write, w.close), nil
}
