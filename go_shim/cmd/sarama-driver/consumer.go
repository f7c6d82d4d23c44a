package main

import (
	"sync"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// consumer reads every partition from its beginning, without a group.
type consumer struct {
	library sarama.Consumer
	parts   []sarama.PartitionConsumer
	out     *driver.Instance
	closing chan struct{}
	readers sync.WaitGroup
}

func openConsumer(config *sarama.Config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	library, err := sarama.NewConsumer(start.Bootstrap, config)
	if err != nil {
		return nil, err
	}
	c := &consumer{library: library, out: out, closing: make(chan struct{})}
	for _, partition := range start.Partitions {
		part, err := library.ConsumePartition(start.Topic, partition, sarama.OffsetOldest)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.parts = append(c.parts, part)
	}
	out.Ready(settings(config, start.Role))
	for index, part := range c.parts {
		c.readers.Add(2)
		go c.read(start.Partitions[index], part)
		go c.reportErrors(part)
	}
	return c, nil
}

func (c *consumer) read(partition int32, part sarama.PartitionConsumer) {
	defer c.readers.Done()
	for message := range part.Messages() {
		c.out.Received(message.Partition, message.Offset, message.Value)
	}
	select {
	case <-c.closing:
	default: // sarama does so when its position is out of range
		c.out.Fatal(nil, "the library closed the consumer of partition %d by itself", partition)
	}
}

func (c *consumer) reportErrors(part sarama.PartitionConsumer) {
	defer c.readers.Done()
	for failure := range part.Errors() {
		c.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Partition(failure.Partition), driver.Failed(describe(failure)))
	}
}

func (c *consumer) Close() {
	close(c.closing)
	for _, part := range c.parts {
		part.AsyncClose()
	}
	c.readers.Wait()
	if err := c.library.Close(); err != nil {
		c.out.Notice("close: %v", err)
	}
}
