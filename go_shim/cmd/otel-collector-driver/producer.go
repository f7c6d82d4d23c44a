//go:build collector

package main

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// producer hands the Collector one log record per interval and partition.
type producer struct {
	*collector
	next    consumer.Logs // the pipeline
	done    chan struct{}
	ended   chan struct{}
	tickers sync.WaitGroup
}

func openProducer(c *configuration, order *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	p := &producer{done: make(chan struct{}), ended: make(chan struct{})}
	kind := component.MustNewType(probe)
	create := func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Logs) (receiver.Logs, error) {
		p.next = next
		return feed{}, nil
	}
	feeds := receiver.NewFactory(kind, noConfiguration, receiver.WithLogs(create, component.StabilityLevelStable))
	_, writes := kafkaFactories()
	c.kafka[routing] = true
	running, err := start(c, out, otelcol.Factories{
		Receivers: map[component.Type]receiver.Factory{kind: feeds},
		Exporters: map[component.Type]exporter.Factory{writes.Type(): writes},
	})
	if err != nil {
		return nil, err
	}
	p.collector = running
	go p.watch(p.ended)
	for _, partition := range order.Partitions {
		p.tickers.Go(func() { p.feed(partition) })
	}
	return p, nil
}

// feed is the component of this driver in a producer's pipeline. It starts nothing: the tickers call the pipeline.
type feed struct {
	component.StartFunc
	component.ShutdownFunc
}

func noConfiguration() component.Config { return &struct{}{} }

// feed hands over records with that by which the exporter chooses this partition.
func (p *producer) feed(partition int32) {
	route := routeTo(partition)
	driver.Feed(p.done, p.out, partition, func(value string) {
		logs := plog.NewLogs()
		resource := logs.ResourceLogs().AppendEmpty()
		record := resource.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		route(resource.Resource(), record)
		record.Body().SetEmptyBytes().FromRaw([]byte(value))
		if err := p.next.ConsumeLogs(context.Background(), logs); err != nil {
			p.out.Notice("the Collector does not take a record: %v", err)
		}
	})
}

func (p *producer) Close() {
	p.closing.Store(true)
	close(p.done)
	p.tickers.Wait()
	p.stop(p.ended)
}
