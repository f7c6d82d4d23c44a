//go:build benthos

package main

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/benthosdev/benthos/v4/public/service"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// producer hands a stream one message per interval and partition.
type producer struct {
	*stream
	hand      service.MessageHandlerFunc
	workload  *driver.Workload
	abandon   context.CancelFunc
	calls     sync.WaitGroup
	delivered atomic.Int64
	failed    atomic.Int64
}

func openProducer(set settings, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	section, err := set.section(map[string]any{
		chosen.brokers: start.Bootstrap, "topic": start.Topic, "client_id": start.ClientId,
		"partitioner": "manual", "partition": `${! meta("partition") }`,
	})
	if err != nil {
		return nil, err
	}
	builder, log := newBuilder(out)
	p := &producer{}
	if p.hand, err = builder.AddProducerFunc(); err != nil {
		return nil, err
	}
	if err := builder.AddOutputYAML(section); err != nil {
		return nil, rejected(set, err)
	}
	if p.stream, err = run(builder, log, set, start.Role); err != nil {
		return nil, err
	}
	calls, abandon := context.WithCancel(context.Background())
	p.abandon = abandon
	p.workload = driver.StartWorkload(out, start, func(partition int32, sequence int64, ended func()) bool {
		p.calls.Go(func() {
			defer ended()
			p.send(calls, partition, sequence)
		})
		return true
	})
	return p, nil
}

// send hands over one message and waits for its delivery.
func (p *producer) send(calls context.Context, partition int32, sequence int64) {
	clock := driver.Clock()
	message := service.NewMessage([]byte(driver.Value(p.out.Name(), partition, sequence, clock)))
	message.MetaSetMut("partition", strconv.Itoa(int(partition)))
	p.out.Sent(partition, sequence, clock)
	if err := p.hand(calls, message); err != nil {
		p.failed.Add(1)
		p.out.Notice("a message is rejected: %v", err)
		return
	}
	p.delivered.Add(1)
}

func (p *producer) Close() {
	p.workload.Stop()
	p.stop()
	p.abandon()
	p.calls.Wait()
	p.out.Event(driverpb.Kind_NOTICE, driver.Text( // also behind the limit of notices
		"messages delivered by the stream: %d; rejected: %d", p.delivered.Load(), p.failed.Load(),
	))
}
