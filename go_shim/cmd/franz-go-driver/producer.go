package main

import (
	"context"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// flushLimit is how long an application waits for its last records: the library has no limit of its own.
const flushLimit = 2 * time.Second

// writer puts records into a client and reports what becomes of each.
type writer struct {
	library *kgo.Client
	out     *driver.Instance
	topic   string
	offsets bool // acks tell offsets
	closing chan struct{}
}

func newWriter(
	options []kgo.Opt, start *driverpb.Start, out *driver.Instance, more ...kgo.Opt,
) (*writer, error) {
	library, err := connect(options, start, out, more...)
	if err != nil {
		return nil, err
	}
	offsets := settings(library, start.Role)["acks"] != "0"
	return &writer{library, out, start.Topic, offsets, make(chan struct{})}, nil
}

// write hands one record to the library; `done` is called with the outcome, after it was reported.
func (w *writer) write(partition int32, sequence int64, done func(error)) {
	clock := driver.Clock()
	w.out.Sent(partition, sequence, clock)
	record := &kgo.Record{
		Topic: w.topic, Partition: partition,
		Value: []byte(driver.Value(w.out.Name(), partition, sequence, clock)),
	}
	w.library.Produce(context.Background(), record, func(record *kgo.Record, err error) {
		defer done(err)
		this := driver.At(partition, sequence)
		if err != nil {
			w.out.Event(driverpb.Kind_SEND_ERROR, this, driver.Failed(describe(err)))
			return
		}
		offset := record.Offset
		if !w.offsets {
			offset = -1
		}
		w.out.Event(driverpb.Kind_ACKED, this, driver.Offset(offset))
	})
}

// close flushes as an application does at its end; nothing may be written any more. Records that are left then fail.
func (w *writer) close() {
	limit, cancel := patient(flushLimit)
	defer cancel()
	if err := w.library.Flush(limit); err != nil {
		w.out.Notice("flush: %v", err)
	}
	w.library.Close()
}

// producer writes one record each interval to each partition.
type producer struct {
	*writer
	beats sync.WaitGroup
	flows []*driver.Flow
}

func openProducer(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(options, start, out)
	if err != nil {
		return nil, err
	}
	p := &producer{writer: w}
	for _, partition := range start.Partitions {
		flow := driver.NewFlow(start.MaxInFlight)
		p.flows = append(p.flows, flow)
		p.beats.Add(1)
		go p.feed(partition, flow)
	}
	return p, nil
}

func (p *producer) feed(partition int32, flow *driver.Flow) {
	defer p.beats.Done()
	sequence := int64(0)
	driver.Beat(p.closing, p.out.IntervalOf(partition), func() {
		if flow.Begin() {
			p.write(partition, sequence, func(error) { flow.End() })
			sequence++
		}
	})
}

func (p *producer) Close() {
	close(p.closing)
	p.beats.Wait()
	p.close()
	for index, flow := range p.flows {
		if skipped := flow.Skipped.Load(); skipped > 0 {
			p.out.Notice("partition index %d: %d beats were skipped", index, skipped)
		}
	}
}
