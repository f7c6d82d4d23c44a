//go:build confluent

package main

import (
	"sync"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// reader polls a consumer and reports its records and errors.
type reader struct {
	library *kafka.Consumer
	out     *driver.Instance
	logs    *logs
	closing chan struct{}
	poller  sync.WaitGroup
}

func newReader(set config, start *driverpb.Start, out *driver.Instance) (*reader, error) {
	lines := newLogs(out)
	library, err := connect(set, start, out, lines.settings(), kafka.NewConsumer)
	if err != nil {
		lines.close()
		return nil, err
	}
	return &reader{library: library, out: out, logs: lines, closing: make(chan struct{})}, nil
}

// poll runs until the reader is closed; `each` is called for every record after it was reported, `other` for events that
// are neither records nor errors. With go.events.channel.enable the wrapper polls, and its channel is read.
func (r *reader) poll(each func(kafka.TopicPartition), other func(kafka.Event)) {
	next := func() kafka.Event { return r.library.Poll(pollMs) }
	if events := r.library.Events(); events != nil {
		next = func() kafka.Event {
			select {
			case event := <-events:
				return event
			case <-r.closing:
				return nil
			}
		}
	}
	r.poller.Go(func() {
		for !r.isClosing() {
			switch item := next().(type) {
			case *kafka.Message:
				r.message(item, each)
			case kafka.Error:
				r.failed(item)
			case nil:
			default:
				other(item)
			}
		}
	})
}

func (r *reader) message(item *kafka.Message, each func(kafka.TopicPartition)) {
	place := item.TopicPartition
	if place.Error != nil {
		r.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Partition(place.Partition), driver.Failed(describe(place.Error)))
		return
	}
	r.out.Received(place.Partition, int64(place.Offset), item.Value)
	each(place)
}

// failed reports an error of consuming without a partition, which the event does not have. A fatal one does not end the
// instance, as it does not with librdkafka's other binding, which calls it an error of consuming, too.
func (r *reader) failed(failed kafka.Error) {
	if isOfClient(nameOf(int(failed.Code())), failed.String()) {
		ofClient(r.out, failed)
		return
	}
	r.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Partition(-1), driver.Failed(describe(failed)))
}

func (r *reader) isClosing() bool {
	select {
	case <-r.closing:
		return true
	default:
		return false
	}
}

func (r *reader) stop() {
	close(r.closing)
	r.poller.Wait()
}

func (r *reader) close() {
	if err := r.library.Close(); err != nil {
		r.out.Notice("close: %v", err)
	}
	r.logs.close()
}

// consumer reads every partition from its beginning, without joining a group.
type consumer struct{ *reader }

func openConsumer(set config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	r, err := newReader(set, start, out)
	if err != nil {
		return nil, err
	}
	var from []kafka.TopicPartition
	for _, partition := range start.Partitions {
		from = append(from, kafka.TopicPartition{
			Topic: &start.Topic, Partition: partition, Offset: kafka.OffsetBeginning,
		})
	}
	if err := r.library.Assign(from); err != nil {
		r.close()
		return nil, err
	}
	out.Event(driverpb.Kind_ASSIGNED, func(e *driverpb.Event) { e.Partitions = start.Partitions })
	r.poll(func(kafka.TopicPartition) {}, func(kafka.Event) {})
	return consumer{r}, nil
}

func (c consumer) Close() {
	c.stop()
	c.close()
}
