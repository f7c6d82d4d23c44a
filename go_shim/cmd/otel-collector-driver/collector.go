//go:build collector

package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/kafkareceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// startLimit bounds the Collector's start; a Kafka client of sarama connects first.
const startLimit = 40 * time.Second

// collector is a running Collector.
type collector struct {
	out     *driver.Instance
	running *otelcol.Collector
	log     *notices
	failed  chan error // its end, once
	closing atomic.Bool
}

// start runs a Collector with the component of this driver, and reports `ready` once all its components have started.
func start(c *configuration, out *driver.Instance, factories otelcol.Factories) (*collector, error) {
	if err := setGates(c.gates); err != nil {
		return nil, err
	}
	text, err := c.text()
	if err != nil {
		return nil, err
	}
	addTelemetry(&factories)
	log := &notices{EarlyLog: driver.EarlyLog{Out: out}}
	running, err := otelcol.NewCollector(otelcol.CollectorSettings{
		Factories:               func() (otelcol.Factories, error) { return factories, nil },
		BuildInfo:               component.BuildInfo{Command: "otelcol", Version: version()},
		DisableGracefulShutdown: true, // signals are the driver's
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs: []string{inline + ":"}, DefaultScheme: inline,
			ProviderFactories: []confmap.ProviderFactory{
				confmap.NewProviderFactory(func(confmap.ProviderSettings) confmap.Provider { return file(text) }),
			},
		}},
		LoggingOptions: []zap.Option{zap.WrapCore(func(zapcore.Core) zapcore.Core { return log })},
	})
	if err != nil {
		return nil, err
	}
	a := &collector{out: out, running: running, log: log, failed: make(chan error, 1)}
	go func() { a.failed <- running.Run(context.Background()) }()
	if err := a.untilRunning(); err != nil {
		return nil, refused(c, err)
	}
	log.Begin(effective(c), fmt.Sprintf("collector %s with %s", version(), inside(c.role)))
	return a, nil
}

// untilRunning waits until every component has started. It returns the reason once the Collector has ended.
func (a *collector) untilRunning() error {
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); {
		select {
		case err := <-a.failed:
			return fmt.Errorf("the Collector does not start: %w", err)
		case <-time.After(10 * time.Millisecond):
			if a.running.GetState() == otelcol.StateRunning {
				return nil
			}
		}
	}
	a.running.Shutdown()
	return fmt.Errorf("the Collector has not started within %v", startLimit)
}

// watch reports a Collector that ends by itself.
func (a *collector) watch(ended chan struct{}) {
	err := <-a.failed
	close(ended)
	if !a.closing.Load() {
		a.out.Fatal(driver.Describe(fmt.Errorf("the Collector ended by itself: %w", err)), "%s", a.log.LastError())
	}
}

// stop ends the Collector as an operator does, and waits for it: its queue is emptied.
func (a *collector) stop(ended chan struct{}) {
	a.closing.Store(true)
	a.running.Shutdown()
	<-ended
}

// refused returns whether the Collector ended because of a property.
func refused(c *configuration, err error) error {
	for _, key := range c.properties {
		if strings.Contains(err.Error(), key[strings.LastIndex(key, ".")+1:]) {
			return driver.Refuse("the Collector rejects %s: %v", key, err)
		}
	}
	return err
}

// setGates sets feature gates by the Collector's flag --feature-gates: those with a minus are disabled.
func setGates(flags []string) error {
	for _, flag := range flags {
		id := strings.TrimLeft(flag, "+-")
		if err := featuregate.GlobalRegistry().Set(id, !strings.HasPrefix(flag, "-")); err != nil {
			return driver.Refuse("%s: %v", flag, err)
		}
	}
	return nil
}

// franzGates are the gates that choose the Kafka client, of versions that have two.
var franzGates = map[string]string{
	"producer": "exporter.kafkaexporter.UseFranzGo", "group": "receiver.kafkareceiver.UseFranzGo",
}

// byFranz reports whether the Kafka client is franz-go.
func byFranz(role string) bool {
	chosen := true
	featuregate.GlobalRegistry().VisitAll(func(gate *featuregate.Gate) {
		if gate.ID() == franzGates[role] {
			chosen = gate.IsEnabled()
		}
	})
	return chosen
}

// inside returns the name and version of the Kafka library that this Collector uses.
func inside(role string) string {
	library := "github.com/IBM/sarama"
	if byFranz(role) {
		library = "github.com/twmb/franz-go"
	}
	return library + " " + driver.LinkedVersion(library, "")
}

// kafkaFactories are the components with the Kafka client.
func kafkaFactories() (receiver.Factory, exporter.Factory) {
	return kafkareceiver.NewFactory(), kafkaexporter.NewFactory()
}

// inline is the scheme of the configuration below.
const inline = "inline"

// file is a configuration that is in memory in place of a file.
type file []byte

func (f file) Retrieve(context.Context, string, confmap.WatcherFunc) (*confmap.Retrieved, error) {
	return confmap.NewRetrievedFromYAML(f)
}

func (file) Scheme() string { return inline }

func (file) Shutdown(context.Context) error { return nil }
