//go:build collector

package main

import (
	"context"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// group is a subscribed member. The Collector hands its records to an exporter of this driver; it reports no assignments
// or commits.
type group struct {
	*collector
	ended chan struct{}
}

func openGroup(c *configuration, _ *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	kind := component.MustNewType(probe)
	ready := make(chan struct{})
	create := func(context.Context, exporter.Settings, component.Config) (exporter.Logs, error) {
		logs, err := consumer.NewLogs(func(_ context.Context, logs plog.Logs) error {
			<-ready
			receive(out, logs)
			return nil
		})
		return sink{Logs: logs}, err
	}
	sinks := exporter.NewFactory(kind, noConfiguration, exporter.WithLogs(create, component.StabilityLevelStable))
	reads, _ := kafkaFactories()
	running, err := start(c, out, otelcol.Factories{
		Receivers: map[component.Type]receiver.Factory{reads.Type(): reads},
		Exporters: map[component.Type]exporter.Factory{kind: sinks},
	})
	close(ready)
	if err != nil {
		return nil, err
	}
	g := &group{collector: running, ended: make(chan struct{})}
	go g.watch(g.ended)
	return g, nil
}

// sink is the component of this driver in a group's pipeline.
type sink struct {
	component.StartFunc
	component.ShutdownFunc
	consumer.Logs
}

// receive reports the records of a batch; the partition is in the value.
func receive(out *driver.Instance, logs plog.Logs) {
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				value := record.Body().Bytes().AsRaw()
				if partition, found := partitionOf(string(value)); found {
					out.Received(partition, -1, value)
				}
			}
		}
	}
}

// partitionOf reads the partition of `<instance> <partition> <sequence> <clock>`.
func partitionOf(value string) (int32, bool) {
	words := strings.Fields(value)
	if len(words) != 4 {
		return 0, false
	}
	partition, err := strconv.ParseInt(words[1], 10, 32)
	return int32(partition), err == nil
}

func (g *group) Close() { g.stop(g.ended) }
