//go:build benthos

package main

import (
	"context"
	"strconv"

	"github.com/benthosdev/benthos/v4/public/service"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// group is a subscribed member: a stream from Kafka to this driver.
type group struct{ *stream }

func openGroup(set settings, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	section, err := set.section(map[string]any{
		chosen.brokers: start.Bootstrap, "topics": []string{start.Topic}, "client_id": start.ClientId,
		"consumer_group": start.Group,
	})
	if err != nil {
		return nil, err
	}
	builder, log := newBuilder(out)
	if err := builder.AddInputYAML(section); err != nil {
		return nil, rejected(set, err)
	}
	ready := make(chan struct{})
	err = builder.AddConsumerFunc(func(_ context.Context, message *service.Message) error {
		<-ready
		return receive(out, message)
	})
	if err != nil {
		return nil, err
	}
	reading, err := run(builder, log, set, start.Role)
	close(ready)
	if err != nil {
		return nil, err
	}
	return &group{reading}, nil
}

// receive reports a record without its offset, as a stream reports no assignment that it would belong to.
func receive(out *driver.Instance, message *service.Message) error {
	value, err := message.AsBytes()
	if err != nil {
		return err
	}
	text, _ := message.MetaGet("kafka_partition")
	partition, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return err
	}
	out.Received(int32(partition), -1, value)
	return nil
}

func (g *group) Close() { g.stop() }
