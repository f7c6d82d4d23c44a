package main

import (
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// operation is the metadata of one message: what its result is reported for.
type operation struct {
	partition int32
	sequence  int64
	reported  chan struct{} // closed after `sent` was reported: its result may follow
	done      func(error)
}

// writer passes records to an AsyncProducer and reports their results.
type writer struct {
	library      sarama.AsyncProducer
	out          *driver.Instance
	start        *driverpb.Start
	inputTimeout time.Duration // for the library to take a record
	offsets      bool          // acknowledgements carry offsets
	closing      chan struct{}
	results      sync.WaitGroup
}

func newWriter(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (*writer, error) {
	library, err := sarama.NewAsyncProducer(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	w := &writer{
		library: library, out: out, start: start, inputTimeout: out.Interval(),
		offsets: config.Producer.RequiredAcks != sarama.NoResponse, closing: make(chan struct{}),
	}
	out.Ready(settings(config, start.Role))
	w.results.Add(2)
	go w.acknowledged()
	go w.refused()
	return w, nil
}

// write passes one record to the library, over an unbuffered channel; false if the library did not take it in time.
// `done` is called with the result, after it was reported.
func (w *writer) write(partition int32, sequence int64, done func(error)) bool {
	clock := driver.Clock()
	op := &operation{partition: partition, sequence: sequence, reported: make(chan struct{}), done: done}
	message := &sarama.ProducerMessage{
		Topic: w.start.Topic, Partition: partition, Metadata: op,
		Value: sarama.StringEncoder(driver.Value(w.out.Name(), partition, sequence, clock)),
	}
	if key := driver.Key(w.start, sequence); key != nil {
		message.Key = sarama.ByteEncoder(key)
	}
	select {
	case w.library.Input() <- message:
		w.out.Sent(partition, sequence, clock)
		close(op.reported)
		return true
	case <-time.After(w.inputTimeout):
	case <-w.closing:
	}
	return false
}

func (w *writer) acknowledged() {
	defer w.results.Done()
	for message := range w.library.Successes() {
		op, ours := message.Metadata.(*operation)
		if !ours { // no record of this driver: 1.32.0 writes its own marker as an empty record (#2150)
			w.out.Notice("acknowledged a record that was never sent: partition %d, offset %d", message.Partition, message.Offset)
			continue
		}
		offset := message.Offset
		if !w.offsets {
			offset = -1
		}
		<-op.reported
		w.out.Event(driverpb.Kind_ACKED, driver.At(message.Partition, op.sequence), driver.Offset(offset))
		op.done(nil)
	}
}

func (w *writer) refused() {
	defer w.results.Done()
	for failure := range w.library.Errors() {
		op, ours := failure.Msg.Metadata.(*operation)
		if !ours { // no record of this driver
			w.out.Notice("%v", failure.Err)
			continue
		}
		<-op.reported
		w.out.Event(driverpb.Kind_SEND_ERROR, driver.At(op.partition, op.sequence), driver.Failed(describe(failure.Err)))
		op.done(failure.Err)
	}
}

// close flushes as an application does at its end; no write may follow.
func (w *writer) close() {
	w.library.AsyncClose()
	w.results.Wait()
}

// producer writes records to every partition, or with every key.
type producer struct {
	*writer
	workload *driver.Workload
}

func openProducer(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(config, start, out)
	if err != nil {
		return nil, err
	}
	p := &producer{writer: w}
	p.workload = driver.StartWorkload(out, start, func(partition int32, sequence int64, ended func()) bool {
		return p.write(partition, sequence, func(error) { ended() })
	})
	return p, nil
}

func (p *producer) Close() {
	close(p.closing)
	p.workload.Stop()
	p.close()
	p.workload.ReportSkipped()
}
