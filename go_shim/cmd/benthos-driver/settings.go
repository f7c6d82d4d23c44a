package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// settings are the section of the component: keys with a dot below each level, and YAML.
type settings map[string]string

// Keys by which the probe identifies partitions, instances and records.
var reserved = []string{
	"addresses", "seed_brokers", "topic", "topics", "client_id", "consumer_group", "partitioner", "partition", "key",
}

// configure returns an instance's settings: profile, then properties.
func configure(start *driverpb.Start, _ *driver.Instance) (settings, error) {
	profile, err := chosen.profiles.Choose(chosen.family, start)
	if err != nil {
		return nil, err
	}
	set := settings{}
	maps.Copy(set, profile.Set)
	_, err = driver.SetProperties(start, reserved, func(key, value string) error {
		set[key] = value
		return nil
	})
	return set, err
}

// section returns the component's section of a stream, in that part of YAML that is JSON; values are YAML.
func (s settings) section(own map[string]any) (string, error) {
	section := maps.Clone(own)
	for _, key := range slices.Sorted(maps.Keys(s)) {
		at, names := section, strings.Split(key, ".")
		for _, name := range names[:len(names)-1] {
			below, found := at[name].(map[string]any)
			if !found {
				below = map[string]any{}
				at[name] = below
			}
			at = below
		}
		at[names[len(names)-1]] = scalar(s[key])
	}
	text, err := json.Marshal(map[string]any{chosen.name: section})
	return string(text), err
}

// scalar returns a property as JSON: numbers, booleans and lists are what they are in YAML, all else is text.
func scalar(text string) any {
	if json.Valid([]byte(text)) && !strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	return text
}

// effective returns the effective settings by the names of driver.proto: the section's, else the component's.
func (s settings) effective(role string) map[string]string {
	found := maps.Clone(chosen.defaults)
	if role == "producer" {
		maps.Copy(found, chosen.writes)
		if s["ack_replicas"] == "true" {
			found["acks"] = "all"
		}
	} else {
		maps.Copy(found, chosen.reads)
		if s["start_from_oldest"] == "false" {
			found["offset_reset"] = "latest"
		}
	}
	for key, name := range chosen.named {
		value, set := s[key]
		if _, of := found[name]; !set || !of {
			continue
		}
		if duration, err := time.ParseDuration(value); err == nil {
			value = driver.Milliseconds(duration)
		}
		found[name] = value
	}
	if protocol, set := s["target_version"]; set {
		found["protocol"] = protocol
	}
	// Batches in flight change places, so that idempotence of the library gives the stream no order.
	if found["idempotence"] == "true" && s["max_in_flight"] != "1" {
		found["idempotence"] = "false"
	}
	return found
}
