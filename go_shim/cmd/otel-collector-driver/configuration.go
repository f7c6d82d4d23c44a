package main

import (
	"encoding/json"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	// kafka is the component with the Kafka client: the exporter of a producer, the receiver of a group.
	kafka = "kafka"
	// probe is the component of this driver at the other end of the pipeline.
	probe = "probe"
	// gates is the property with the Collector's flag --feature-gates.
	gates = "feature_gates"
	// never is the longest refresh interval that franz-go takes, longer than any trial.
	never = "1h"
)

// Keys are those of the section `kafka`, with a dot below each level; values are YAML.
var profiles = driver.Profiles{
	"isolated":   {},
	"defaults":   {Bare: true},
	"idempotent": driver.Writing("producer.required_acks", "-1"),
	"acks-1":     driver.Writing("producer.required_acks", "1"),
	"zstd":       driver.Writing("producer.compression", "zstd"),
}

// Keys by which the probe identifies partitions, instances and records.
var reserved = []string{
	"brokers", "client_id", "group_id", "logs.topic", "logs.topics", "logs.encoding",
	"partition_logs_by_trace_id", "partition_logs_by_resource_attributes",
}

// configuration is a file for the Collector.
type configuration struct {
	role       string
	kafka      map[string]any // the section `kafka`
	properties []string       // keys of the instance's properties
	gates      []string       // feature gates, as in the Collector's flag
}

// configure builds the configuration of an instance: role, profile, properties, in this order.
func configure(start *driverpb.Start, _ *driver.Instance) (*configuration, error) {
	chosen, err := profiles.Choose("otel-collector", start)
	if err != nil {
		return nil, err
	}
	c := &configuration{role: start.Role, kafka: map[string]any{"brokers": start.Bootstrap, "client_id": start.ClientId}}
	if start.Role == "producer" {
		c.kafka["logs"] = map[string]any{"topic": start.Topic, "encoding": "raw"}
	} else {
		c.kafka["logs"] = map[string]any{topicKey: topics(start.Topic), "encoding": "raw"}
		c.kafka["group_id"] = start.Group
		c.kafka["initial_offset"] = "earliest"
	}
	if !chosen.Bare {
		c.set("metadata.refresh_interval", never)
	}
	for key, value := range chosen.Set {
		c.set(key, value)
	}
	c.properties, err = driver.SetProperties(start, reserved, c.setProperty)
	return c, err
}

func (c *configuration) setProperty(key, value string) error {
	if key == gates {
		c.gates = strings.Split(value, ",")
	} else if !c.set(key, value) {
		return driver.Refuse("%s: a part of this name is a value and no section", key)
	}
	return nil
}

// set sets a key in its section; false where a value is in the way.
func (c *configuration) set(key, value string) bool {
	section, names := c.kafka, strings.Split(key, ".")
	for _, name := range names[:len(names)-1] {
		if section[name] == nil {
			section[name] = map[string]any{}
		}
		below, found := section[name].(map[string]any)
		if !found {
			return false
		}
		section = below
	}
	section[names[len(names)-1]] = literal(value)
	return true
}

// text returns the file, in that part of YAML that is JSON.
func (c *configuration) text() ([]byte, error) {
	receives, exports := probe, kafka
	if c.role == "group" {
		receives, exports = kafka, probe
	}
	sections := map[string]any{kafka: c.kafka, probe: map[string]any{}}
	return json.Marshal(map[string]any{
		"receivers": map[string]any{receives: sections[receives]},
		"exporters": map[string]any{exports: sections[exports]},
		"service": map[string]any{
			// The Collector's metrics would be served at a port.
			"telemetry": map[string]any{"metrics": map[string]any{"level": "none"}},
			"pipelines": map[string]any{
				"logs": map[string]any{"receivers": []string{receives}, "exporters": []string{exports}},
			},
		},
	})
}

// literal returns a property as JSON: numbers, booleans and lists are what they are in YAML, all else is text.
func literal(text string) any {
	if (driver.IsScalar(text) || strings.HasPrefix(text, "[")) && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
