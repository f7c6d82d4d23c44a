//go:build collector

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	// franzBackOff and franzLongest are the first and longest waits of franz-go (kgo/config.go, defaultCfg, retryBackoff).
	franzBackOff = 250 * time.Millisecond
	franzLongest = 5 * time.Second
	// saramaBackOff is that of sarama's producer and of its consumer groups' joins (config.go, NewConfig).
	saramaBackOff = 100 * time.Millisecond
)

// effective returns the effective settings by the names of driver.proto: the section's, else the component's defaults, else
// those of the library inside.
func effective(c *configuration) map[string]string {
	read := complete(c)
	found := map[string]string{
		"refresh_ms":         milliseconds(read, "metadata.refresh_interval"),
		"retry_backoff_ms":   driver.Milliseconds(franzBackOff),
		"longest_backoff_ms": driver.Milliseconds(longest(read, c.role)),
	}
	if protocol := text(read, "protocol_version"); protocol != "" {
		found["protocol"] = protocol
	}
	if !byFranz(c.role) {
		found["retry_backoff_ms"] = driver.Milliseconds(saramaBackOff)
		found["socket_timeout_ms"] = "30000" // sarama config.go, NewConfig: Net.ReadTimeout
	}
	if c.role == "group" {
		found["session_timeout_ms"] = milliseconds(read, "session_timeout")
		found["heartbeat_ms"] = milliseconds(read, "heartbeat_interval")
		found["rebalance_timeout_ms"] = "60000" // both libraries' default
		found["offset_reset"] = text(read, "initial_offset")
		return found
	}
	acks, _ := strconv.ParseInt(text(read, "producer.required_acks"), 10, 64)
	found["acks"] = driver.AckNames[acks]
	// Records that several consumers take from the queue change places, whatever the library does.
	ordered := text(read, "sending_queue.num_consumers") == "1"
	found["idempotence"] = strconv.FormatBool(acks == -1 && byFranz(c.role) && ordered)
	found["compression"] = text(read, "producer.compression")
	found["linger_ms"] = milliseconds(read, "producer.linger")
	found["request_timeout_ms"] = milliseconds(read, "timeout")
	return found
}

// longest returns the longest wait before the next attempt: the library's, or the exporter's own.
func longest(read *confmap.Conf, role string) time.Duration {
	wait := franzLongest
	if !byFranz(role) {
		wait = driver.SaramaBreakerOpen
	}
	if role == "producer" && text(read, "retry_on_failure.enabled") == "true" {
		wait = max(wait, duration(read, "retry_on_failure.max_interval"))
	}
	return wait
}

// complete returns the section with the component's defaults.
func complete(c *configuration) *confmap.Conf {
	reads, writes := kafkaFactories()
	var factory component.Factory = writes
	place := "exporters"
	if c.role == "group" {
		factory, place = reads, "receivers"
	}
	found, defaults := confmap.New(), factory.CreateDefaultConfig()
	if section, err := c.section(place); err == nil {
		_ = section.Unmarshal(defaults)
	}
	_ = found.Marshal(defaults)
	return found
}

// section returns the section `kafka` as the Collector reads it.
func (c *configuration) section(place string) (*confmap.Conf, error) {
	written, err := c.text()
	if err != nil {
		return nil, err
	}
	read, err := confmap.NewRetrievedFromYAML(written)
	if err != nil {
		return nil, err
	}
	whole, err := read.AsConf()
	if err != nil {
		return nil, err
	}
	return whole.Sub(place + confmap.KeyDelimiter + kafka)
}

func at(read *confmap.Conf, key string) any {
	return read.Get(strings.ReplaceAll(key, ".", confmap.KeyDelimiter))
}

func text(read *confmap.Conf, key string) string {
	if value := at(read, key); value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

func duration(read *confmap.Conf, key string) time.Duration {
	value, _ := time.ParseDuration(text(read, key))
	return value
}

func milliseconds(read *confmap.Conf, key string) string {
	return driver.Milliseconds(duration(read, key))
}
