//go:build watermill

package main

import (
	"context"
	"sync"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"
	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// destination is the value of a message's context that says where the message goes.
type destination struct{}

// byPartition writes a message to the partition that its context names: the wrapper has no argument for it.
type byPartition struct{ kafka.DefaultMarshaler }

func (m byPartition) Marshal(topic string, msg *message.Message) (*sarama.ProducerMessage, error) {
	record, err := m.DefaultMarshaler.Marshal(topic, msg)
	if err == nil {
		record.Partition, _ = msg.Context().Value(destination{}).(int32)
	}
	return record, err
}

// byKey returns the key that a message's context names.
func byKey(_ string, msg *message.Message) (string, error) {
	key, _ := msg.Context().Value(destination{}).(string)
	return key, nil
}

// publisher writes records to every partition, or with every key. Each is a call of its own, which blocks until the record
// is written.
type publisher struct {
	library  *kafka.Publisher
	log      *wrapperLog
	start    *driverpb.Start
	offsets  bool // acknowledgements carry offsets
	workload *driver.Workload
	calls    sync.WaitGroup
}

func openPublisher(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	set := kafka.PublisherConfig{Brokers: start.Bootstrap, Marshaler: byPartition{}, OverwriteSaramaConfig: config}
	if driver.IsKeyed(start) {
		set.Marshaler = kafka.NewWithPartitioningMarshaler(byKey)
	}
	log := newWrapperLog(out)
	library, err := kafka.NewPublisher(set, log)
	if err != nil {
		return nil, err
	}
	p := &publisher{
		library: library, log: log, start: start, offsets: config.Producer.RequiredAcks != sarama.NoResponse,
	}
	log.begin(settings(config, start.Role))
	p.workload = driver.StartWorkload(out, start, func(partition int32, sequence int64, ended func()) bool {
		p.calls.Go(func() {
			defer ended()
			p.publish(partition, sequence)
		})
		return true
	})
	return p, nil
}

func (p *publisher) publish(partition int32, sequence int64) {
	out, clock := p.log.Out, driver.Clock()
	msg := message.NewMessage(watermill.NewUUID(), []byte(driver.Value(out.Name(), partition, sequence, clock)))
	var goesTo any = partition
	if key := driver.Key(p.start, sequence); key != nil {
		goesTo = string(key)
	}
	msg.SetContext(context.WithValue(context.Background(), destination{}, goesTo))
	out.Sent(partition, sequence, clock)
	if err := p.library.Publish(p.start.Topic, msg); err != nil {
		out.Event(driverpb.Kind_SEND_ERROR, driver.At(partition, sequence), driver.Failed(describe(err)))
		return
	}
	stored := p.log.place(msg.UUID)
	if !p.offsets {
		stored.offset = -1
	}
	out.Event(driverpb.Kind_ACKED, driver.At(stored.partition, sequence), driver.Offset(stored.offset))
}

// Close waits for the calls under way: a record that reaches the library while it closes would panic there.
func (p *publisher) Close() {
	p.workload.Stop()
	p.calls.Wait()
	if err := p.library.Close(); err != nil {
		p.log.Out.Notice("close: %v", err)
	}
	p.workload.ReportSkipped()
}
