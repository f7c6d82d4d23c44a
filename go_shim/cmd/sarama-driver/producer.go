package main

import (
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// operation is one record on its way; it travels with the message as its metadata.
type operation struct {
	partition int32
	sequence  int64
	told      chan struct{} // `sent` was reported, so its outcome may follow
	done      func(error)
}

// writer puts records into an AsyncProducer and reports what becomes of each.
type writer struct {
	library  sarama.AsyncProducer
	out      *driver.Instance
	topic    string
	patience time.Duration // for the library to take a record
	offsets  bool          // acks tell offsets
	closing  chan struct{}
	results  sync.WaitGroup
}

func newWriter(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (*writer, error) {
	library, err := sarama.NewAsyncProducer(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	w := &writer{
		library: library, out: out, topic: start.Topic, patience: out.Interval(),
		offsets: config.Producer.RequiredAcks != sarama.NoResponse, closing: make(chan struct{}),
	}
	out.Ready(settings(config, start.Role))
	w.results.Add(2)
	go w.acknowledged()
	go w.refused()
	return w, nil
}

// write hands one record to the library, which takes it from an unbuffered channel; false if it was not taken in time.
// `done` is called with the outcome, after it was reported.
func (w *writer) write(partition int32, sequence int64, done func(error)) bool {
	clock := driver.Clock()
	op := &operation{partition: partition, sequence: sequence, told: make(chan struct{}), done: done}
	message := &sarama.ProducerMessage{
		Topic: w.topic, Partition: partition, Metadata: op,
		Value: sarama.StringEncoder(driver.Value(w.out.Name(), partition, sequence, clock)),
	}
	select {
	case w.library.Input() <- message:
		w.out.Sent(partition, sequence, clock)
		close(op.told)
		return true
	case <-time.After(w.patience):
	case <-w.closing:
	}
	return false
}

func (w *writer) acknowledged() {
	defer w.results.Done()
	for message := range w.library.Successes() {
		op := message.Metadata.(*operation)
		offset := message.Offset
		if !w.offsets {
			offset = -1
		}
		<-op.told
		w.out.Event(driverpb.Kind_ACKED, driver.At(op.partition, op.sequence), driver.Offset(offset))
		op.done(nil)
	}
}

func (w *writer) refused() {
	defer w.results.Done()
	for failure := range w.library.Errors() {
		op, ours := failure.Msg.Metadata.(*operation)
		if !ours { // about no record of ours
			w.out.Notice("%v", failure.Err)
			continue
		}
		<-op.told
		w.out.Event(driverpb.Kind_SEND_ERROR, driver.At(op.partition, op.sequence), driver.Failed(describe(failure.Err)))
		op.done(failure.Err)
	}
}

// close flushes as an application does at its end; nothing may be written any more.
func (w *writer) close() {
	w.library.AsyncClose()
	w.results.Wait()
}

// producer writes one record each interval to each partition.
type producer struct {
	*writer
	beats sync.WaitGroup
	flows []*driver.Flow
}

func openProducer(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(config, start, out)
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
		if !flow.Begin() {
			return
		}
		if !p.write(partition, sequence, func(error) { flow.End() }) {
			flow.End()
			flow.Skipped.Add(1)
			return
		}
		sequence++
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
