//go:build collector

package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
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

// feed hands over records with the trace id by which the exporter chooses this partition (partition_logs_by_trace_id).
func (p *producer) feed(partition int32) {
	sequence, trace := int64(0), traceOf(partition)
	driver.Tick(p.done, p.out.IntervalOf(partition), func() {
		clock := driver.Clock()
		value := driver.Value(p.out.Name(), partition, sequence, clock)
		p.out.Sent(partition, sequence, clock)
		logs := plog.NewLogs()
		record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		record.SetTraceID(trace)
		record.Body().SetEmptyBytes().FromRaw([]byte(value))
		if err := p.next.ConsumeLogs(context.Background(), logs); err != nil {
			p.out.Notice("the Collector does not take a record: %v", err)
		}
		sequence++
	})
}

// traceOf returns a trace id that the exporter maps to a partition: its key is the id in hexadecimal.
func traceOf(partition int32) pcommon.TraceID {
	id := func(number int) (trace [16]byte) {
		binary.BigEndian.PutUint64(trace[8:], uint64(number)+1)
		return trace
	}
	number, _ := driver.KeyFrom(partition, func(number int) string {
		trace := id(number)
		return hex.EncodeToString(trace[:])
	})
	return id(number)
}

func (p *producer) Close() {
	p.closing.Store(true)
	close(p.done)
	p.tickers.Wait()
	p.stop(p.ended)
}
