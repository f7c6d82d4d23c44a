package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// profile is a named configuration: paths of Config with their values, over the library's defaults.
type profile struct {
	set     map[string]string
	writing bool // it says nothing to a role that writes no records
	bare    bool // the library's own defaults: neither protocol version nor refresh interval is set
	version string
	linked  []string // one of these modules must be linked in
}

var profiles = map[string]profile{
	"isolated": {},
	"defaults": {bare: true},
	"idempotent": {writing: true, set: map[string]string{
		"Producer.Idempotent": "true", "Producer.RequiredAcks": "all", "Net.MaxOpenRequests": "1",
	}},
	"no-retries": {writing: true, set: map[string]string{"Producer.Retry.Max": "0"}},
	"acks-1":     {writing: true, set: map[string]string{"Producer.RequiredAcks": "1"}},
	// In old versions zstd is a C library, which needs cgo; without it the module is not linked in.
	"zstd": {
		writing: true, set: map[string]string{"Producer.Compression": "zstd"},
		linked: []string{"github.com/klauspost/compress", "github.com/DataDog/zstd"},
	},
	// Brokers since 4.0 serve no older Produce than v3, which is 0.11's.
	"oldest-protocol": {version: "0.11.0.0"},
	"refresh-1s":      {set: map[string]string{"Metadata.RefreshFrequency": "1s"}},
	"quick-timeouts": {set: map[string]string{
		"Net.DialTimeout": "5s", "Net.ReadTimeout": "5s", "Net.WriteTimeout": "5s", "Producer.Timeout": "5s",
		"Consumer.Group.Session.Timeout": "5s", "Consumer.Group.Heartbeat.Interval": "1500ms",
	}},
}

// never is a refresh interval that no trial lives to see. Zero would also stop a group from watching for new partitions.
const never = "24h"

// Every role asks to be told all results and errors; a property may not take that away.
var forced = map[string]string{
	"Producer.Return.Successes": "true", "Producer.Return.Errors": "true", "Consumer.Return.Errors": "true",
}

var reserved = []string{"ClientID", "Producer.Partitioner", "Producer.Transaction.ID"}

func profileNames() []string {
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		if profiles[name].apply(sarama.NewConfig()) == nil {
			names = append(names, name)
		}
	}
	return names
}

func (p profile) apply(config *sarama.Config) error {
	if len(p.linked) > 0 && !slices.ContainsFunc(p.linked, func(path string) bool { return linked(path) != nil }) {
		return driver.Refuse("sarama %s needs cgo for zstd and is built without", version())
	}
	for _, path := range slices.Sorted(maps.Keys(p.set)) {
		if err := assign(config, path, p.set[path]); err != nil {
			return err
		}
	}
	return nil
}

// configure builds the Config of an instance: role, profile, properties, in this order.
func configure(start *driverpb.Start) (*sarama.Config, error) {
	chosen, known := profiles[start.Profile]
	if !known {
		return nil, driver.Refuse("sarama has no profile %q", start.Profile)
	}
	writes := start.Role == "producer" || start.Role == "transactional"
	if chosen.writing && !writes {
		return nil, driver.Refuse("profile %s concerns producers, a %s writes nothing", start.Profile, start.Role)
	}
	config := sarama.NewConfig()
	config.ClientID = start.ClientId
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Producer.Partitioner = sarama.NewManualPartitioner
	if err := adjust(config, chosen, start); err != nil {
		return nil, err
	}
	if err := config.Validate(); err != nil {
		return nil, driver.Refuse("sarama %s refuses this configuration: %v", version(), err)
	}
	return config, nil
}

func adjust(config *sarama.Config, chosen profile, start *driverpb.Start) error {
	if !chosen.bare {
		config.Metadata.RefreshFrequency = 0
		if err := assign(config, "Metadata.RefreshFrequency", never); err != nil {
			return err
		}
		if err := pin(config, start.Broker, chosen.version); err != nil {
			return err
		}
	}
	if start.Role == "transactional" {
		if err := transact(config, start.TransactionalId); err != nil {
			return err
		}
	}
	if start.Role == "admin" || (start.Role == "group" && hasCommit()) {
		commitOurselves(config)
	}
	if err := chosen.apply(config); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(start.Properties)) {
		if _, ours := forced[path]; ours || slices.Contains(reserved, path) {
			return driver.Refuse("Config.%s is set by the driver itself", path)
		}
		if err := assign(config, path, start.Properties[path]); err != nil {
			return err
		}
	}
	for path, value := range forced {
		if err := assign(config, path, value); err != nil {
			return err
		}
	}
	return nil
}

// pin tells the library the broker's version, capped at the newest it knows: it cannot negotiate by itself.
// Of an empty broker line nothing is told.
func pin(config *sarama.Config, line, oldest string) error {
	if line == "" && oldest == "" {
		return nil
	}
	wanted, err := sarama.ParseKafkaVersion(full(line))
	if line != "" && err != nil {
		return driver.Refuse("sarama cannot be told a broker version %q: %v", line, err)
	}
	if limit, err := sarama.ParseKafkaVersion(oldest); err == nil && (line == "" || wanted.IsAtLeast(limit)) {
		wanted = limit
	}
	best := sarama.MinVersion
	for _, known := range sarama.SupportedVersions {
		if wanted.IsAtLeast(known) && known.IsAtLeast(best) {
			best = known
		}
	}
	config.Version = best
	return nil
}

// full writes a broker line as the library parses it: three parts, and four before 1.0.
func full(line string) string {
	parts := 3
	if strings.HasPrefix(line, "0.") {
		parts = 4
	}
	for strings.Count(line, ".")+1 < parts {
		line += ".0"
	}
	return line
}
