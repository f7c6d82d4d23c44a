//go:build beats

package main

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/outputs"
	_ "github.com/elastic/beats/v7/libbeat/outputs/codec/format"
	_ "github.com/elastic/beats/v7/libbeat/outputs/kafka"
	"github.com/elastic/beats/v7/libbeat/publisher/pipeline"
	_ "github.com/elastic/beats/v7/libbeat/publisher/queue/memqueue"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	kafka = "kafka"
	// failed counts the events of batches that the output gave back (RetryEvents).
	failed = "output.events.failed"
)

// producer publishes events to a pipeline of its own.
type producer struct {
	out          *driver.Instance
	pipeline     *pipeline.Pipeline
	events       libbeat.Client
	metrics      *registry
	acknowledged atomic.Int64
	done         chan struct{}
	tickers      sync.WaitGroup
}

func openProducer(set settings, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	log, err := listen(out)
	if err != nil {
		return nil, err
	}
	section, err := configuration(set, start)
	if err != nil {
		return nil, driver.Refuse("Beats refuse these settings: %v", err)
	}
	// A record must reach Kafka within the interval of its operation; by default the queue waits for a second.
	queue := namespace{}
	flush, err := newConfig(map[string]any{"mem": map[string]any{"flush.min_events": 0, "flush.timeout": "0s"}})
	if err == nil {
		err = queue.Unpack(flush)
	}
	if err != nil {
		return nil, err
	}
	p := &producer{out: out, metrics: newRegistry(), done: make(chan struct{})}
	info, monitors := logged(libbeat.Info{IndexPrefix: "probe", Version: driver.LinkedVersion(module, local)}, p.metrics)
	p.pipeline, err = pipeline.LoadWithSettings(info, monitors, pipeline.Config{Queue: queue},
		func(stats outputs.Observer) (string, outputs.Group, error) {
			group, err := outputs.Load(nil, info, stats, kafka, section)
			return kafka, group, err
		}, pipeline.Settings{})
	if err != nil {
		return nil, driver.Refuse("Beats refuse these settings: %v", err)
	}
	// As Filebeat connects its inputs: an event is sent until Kafka has it.
	p.events, err = p.pipeline.ConnectWith(guaranteed(func(count int) { p.acknowledged.Add(int64(count)) }))
	if err != nil {
		_ = p.pipeline.Close()
		return nil, err
	}
	out.Ready(effective(section))
	log.ready.Store(true)
	for _, partition := range start.Partitions {
		p.tickers.Go(func() { p.feed(partition) })
	}
	return p, nil
}

// configuration returns the section `output.kafka`.
func configuration(set settings, start *driverpb.Start) (*config, error) {
	section := map[string]any{
		"hosts": start.Bootstrap, "topic": start.Topic, "client_id": start.ClientId,
		"key": "%{[key]}", "codec.format.string": "%{[message]}",
	}
	for key, value := range set {
		section[key] = value
	}
	return newConfig(section)
}

func (p *producer) feed(partition int32) {
	key := driver.KeyOf(partition)
	driver.Feed(p.done, p.out, partition, func(value string) {
		p.events.Publish(libbeat.Event{Timestamp: time.Now(), Fields: fields{"message": value, "key": key}})
	})
}

// Close ends the pipeline as Filebeat does by default: what the queue holds is not waited for.
func (p *producer) Close() {
	close(p.done)
	_ = p.events.Close()
	p.tickers.Wait()
	_ = p.pipeline.Close()
	counted := snapshot(p.metrics, allMetrics, false).Ints
	p.out.Event(driverpb.Kind_NOTICE, driver.Text( // also behind the limit of notices
		"events acknowledged to the application: %d; given back by the output, to be sent again: %d",
		p.acknowledged.Load(), counted[failed],
	))
}

// effective returns the effective settings by the names of driver.proto: the section's, else Beats' defaults
// (libbeat/outputs/kafka/config.go, defaultConfig), else those of the library inside.
func effective(section *config) map[string]string {
	read := struct {
		Metadata struct {
			RefreshFrequency time.Duration `config:"refresh_frequency"`
		} `config:"metadata"`
		Timeout      time.Duration `config:"timeout"`
		RequiredACKs int64         `config:"required_acks"`
		Compression  string        `config:"compression"`
		Version      string        `config:"version"`
		MaxRetries   int           `config:"max_retries"`
		Backoff      struct {
			Init time.Duration `config:"init"`
			Max  time.Duration `config:"max"`
		} `config:"backoff"`
	}{Timeout: 30 * time.Second, RequiredACKs: 1, Compression: "gzip", Version: "1.0", MaxRetries: 3}
	read.Metadata.RefreshFrequency = 10 * time.Minute
	read.Backoff.Init, read.Backoff.Max = time.Second, time.Minute
	_ = section.Unpack(&read)
	// The first wait is half to one time of twice `init` (makeBackoffFunc, with one retry), and each next one doubles.
	longest := min(read.Backoff.Init<<min(max(read.MaxRetries, 1), 30), read.Backoff.Max)
	return map[string]string{
		"acks":               driver.AckNames[read.RequiredACKs],
		"retries":            strconv.Itoa(read.MaxRetries),
		"retry_backoff_ms":   driver.Milliseconds(read.Backoff.Init),
		"longest_backoff_ms": driver.Milliseconds(max(longest, driver.SaramaBreakerOpen)),
		"request_timeout_ms": driver.Milliseconds(read.Timeout),
		"socket_timeout_ms":  driver.Milliseconds(read.Timeout),
		"refresh_ms":         refresh(read.Metadata.RefreshFrequency),
		"compression":        strings.ToLower(read.Compression),
		"protocol":           read.Version,
	}
}

// refresh formats the periodic refresh: none is -1.
func refresh(interval time.Duration) string {
	if interval <= 0 {
		return "-1"
	}
	return driver.Milliseconds(interval)
}
