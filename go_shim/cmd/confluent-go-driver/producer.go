//go:build confluent

package main

import (
	"sync"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// writer passes records to a producer and reports what comes by its channel of events.
type writer struct {
	library *kafka.Producer
	out     *driver.Instance
	start   *driverpb.Start
	logs    *logs
	served  sync.WaitGroup
}

// operation is a record under way; the wrapper hands it back with the delivery report.
type operation struct {
	partition int32
	sequence  int64
	done      func(error)
}

func newWriter(set config, start *driverpb.Start, out *driver.Instance) (*writer, error) {
	lines := newLogs(out)
	library, err := connect(set, start, out, lines.settings(), kafka.NewProducer)
	if err != nil {
		lines.close()
		return nil, err
	}
	w := &writer{library: library, out: out, start: start, logs: lines}
	w.served.Go(w.serve)
	return w, nil
}

// serve runs until the producer is closed.
func (w *writer) serve() {
	for event := range w.library.Events() {
		switch item := event.(type) {
		case *kafka.Message:
			if record, ours := item.Opaque.(*operation); ours {
				w.delivered(record, item.TopicPartition)
			}
		case kafka.Error:
			ofClient(w.out, item)
			if item.IsFatal() {
				w.out.Fatal(describe(item), "%s", item.String())
			}
		}
	}
}

func (w *writer) delivered(record *operation, place kafka.TopicPartition) {
	if place.Error != nil {
		w.failed(record, place.Error)
		return
	}
	offset := max(int64(place.Offset), -1)
	w.out.Event(driverpb.Kind_ACKED, driver.At(place.Partition, record.sequence), driver.Offset(offset))
	record.done(nil)
}

func (w *writer) failed(record *operation, err error) {
	w.out.Event(driverpb.Kind_SEND_ERROR, driver.At(record.partition, record.sequence), driver.Failed(describe(err)))
	record.done(err)
}

// write passes one record to the library; `done` is called with the result, after it was reported.
func (w *writer) write(partition int32, sequence int64, done func(error)) {
	clock := driver.Clock()
	w.out.Sent(partition, sequence, clock)
	record := &operation{partition, sequence, done}
	place := kafka.TopicPartition{Topic: &w.start.Topic, Partition: partition}
	if driver.IsKeyed(w.start) {
		place.Partition = kafka.PartitionAny
	}
	message := &kafka.Message{
		TopicPartition: place, Key: driver.Key(w.start, sequence), Opaque: record,
		Value: []byte(driver.Value(w.out.Name(), partition, sequence, clock)),
	}
	if err := w.library.Produce(message, nil); err != nil {
		w.failed(record, err)
	}
}

// close flushes as an application does at its end; no write may follow.
func (w *writer) close() {
	w.library.Flush(int(w.out.CloseTime().Milliseconds()))
	w.library.Close()
	w.served.Wait()
	w.logs.close()
}

func openProducer(set config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	w, err := newWriter(set, start, out)
	if err != nil {
		return nil, err
	}
	return driver.StartProducer(out, start, w.write, w.close), nil
}
