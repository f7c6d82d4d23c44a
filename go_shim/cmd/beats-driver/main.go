// Command beats-driver drives the Kafka output of Beats as an application: libbeat's publishing pipeline with a queue in
// memory and the output, configured as in filebeat.yml. It publishes one event per interval and partition. The pipeline
// acknowledges events of all partitions in one order, so single deliveries are not reported; what it acknowledges, and
// its log, are notices.
//
// Beats' packages are compiled in with the build tag `beats`; without the tag this program builds and only reports that.
package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const module = "github.com/elastic/beats/v7"

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

// Keys are those below `output.kafka`; values are text, as after -E on Beats' command line.
var profiles = driver.Profiles{
	"isolated":        {Set: map[string]string{"metadata.refresh_frequency": "0"}},
	"defaults":        {Bare: true},
	"acks-1":          {Set: map[string]string{"metadata.refresh_frequency": "0", "required_acks": "1"}},
	"refresh-1s":      {Set: map[string]string{"metadata.refresh_frequency": "1s"}},
	"oldest-protocol": {Set: map[string]string{"metadata.refresh_frequency": "0", "version": "0.11"}},
}

// Keys by which the probe identifies partitions, instances and records.
var reserved = []string{"hosts", "topic", "client_id", "key", "codec", "partition"}

// known are the other keys of the section (libbeat/outputs/kafka/config.go, kafkaConfig), but for security. Beats ignore
// what they do not know.
var known = []string{
	"backoff.init", "backoff.max", "broker_timeout", "bulk_flush_frequency", "bulk_max_size", "channel_buffer_size",
	"compression", "compression_level", "keep_alive", "max_message_bytes", "max_retries", "metadata.full",
	"metadata.refresh_frequency", "metadata.retry.backoff", "metadata.retry.max", "required_acks", "timeout", "version",
}

// settings are the keys and values of an instance's configuration.
type settings map[string]string

var roles = driver.Roles[settings]{{Name: "producer", Open: openProducer}}

func main() {
	driver.Main(&driver.Library{
		Family: "beats", Version: driver.LinkedVersion(module, local), Roles: roles.Names(), Profiles: profiles.Names(),
		Open: roles.Opener("beats "+driver.LinkedVersion(module, local), configure), Describe: driver.Describe,
	})
}

// configure returns an instance's settings: profile, then properties.
func configure(start *driverpb.Start, _ *driver.Instance) (settings, error) {
	chosen, err := profiles.Choose("beats", start)
	if err != nil {
		return nil, err
	}
	set := settings{}
	maps.Copy(set, chosen.Set)
	_, err = driver.SetProperties(start, reserved, func(key, value string) error {
		if !slices.Contains(known, key) {
			return driver.Refuse("output.kafka has no key %q; it has %s", key, strings.Join(known, ", "))
		}
		set[key] = value
		return nil
	})
	return set, err
}
