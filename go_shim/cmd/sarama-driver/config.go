package main

import (
	"maps"
	"slices"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Keys are dotted paths of Config.
var profiles = driver.Profiles{
	"isolated": {},
	"defaults": {Bare: true},
	"idempotent": {Writing: true, Set: map[string]string{
		"Producer.Idempotent": "true", "Producer.RequiredAcks": "all", "Net.MaxOpenRequests": "1",
	}},
	"no-retries":      driver.Writing("Producer.Retry.Max", "0"),
	"acks-1":          driver.Writing("Producer.RequiredAcks", "1"),
	"zstd":            driver.Writing("Producer.Compression", "zstd"),
	"oldest-protocol": {},
	"refresh-1s":      {Set: map[string]string{"Metadata.RefreshFrequency": "1s"}},
	"quick-timeouts": {Set: map[string]string{
		"Net.DialTimeout": "5s", "Net.ReadTimeout": "5s", "Net.WriteTimeout": "5s", "Producer.Timeout": "5s",
		"Consumer.Group.Session.Timeout": "5s", "Consumer.Group.Heartbeat.Interval": "1500ms",
	}},
	"short-limits": {Set: map[string]string{
		"Consumer.Group.Session.Timeout": "6s", "Consumer.Group.Rebalance.Timeout": "8s",
	}},
	staticMember: {Set: map[string]string{ // InstanceId is set per instance
		"Consumer.Group.Session.Timeout": "6s", "Consumer.Group.Rebalance.Timeout": "8s", instanceID: "",
	}},
	autocommit: {Set: map[string]string{
		"Consumer.Group.Session.Timeout": "6s", "Consumer.Group.Rebalance.Timeout": "8s",
		"Consumer.Offsets.AutoCommit.Enable": "true", "Consumer.Offsets.AutoCommit.Interval": "1s",
	}},
}

const (
	staticMember = "static-member"
	autocommit   = "autocommit"
	instanceID   = "Consumer.Group.InstanceId"
)

// maxProtocol caps the protocol version of a profile: brokers since 4.0 serve Produce from v3 on, which came with 0.11.
var maxProtocol = map[string]string{"oldest-protocol": "0.11.0.0"}

// codecModules lists the modules of which a profile needs one. In old versions zstd is a C library, which needs cgo;
// without it the module is not linked in.
var codecModules = map[string][]string{"zstd": {"github.com/klauspost/compress", "github.com/DataDog/zstd"}}

// never is a refresh interval longer than any trial. Zero would also stop a group from detecting new partitions.
const never = "24h"

// Every role receives all results and errors; no property may change that.
var forced = map[string]string{
	"Producer.Return.Successes": "true", "Producer.Return.Errors": "true", "Consumer.Return.Errors": "true",
}

var reserved = []string{"ClientID", "Producer.Partitioner", "Producer.Transaction.ID"}

// profileNames lists the profiles that this version has every setting of.
func profileNames() []string {
	return slices.DeleteFunc(profiles.Names(), func(name string) bool {
		return apply(name, sarama.NewConfig()) != nil
	})
}

func apply(profile string, config *sarama.Config) error {
	needed := codecModules[profile]
	if len(needed) > 0 && !slices.ContainsFunc(needed, func(path string) bool { return driver.Linked(path) != nil }) {
		return driver.Refuse("%s needs cgo for zstd and is built without", named())
	}
	return assignAll(config, profiles[profile].Set)
}

func assignAll(config *sarama.Config, set map[string]string) error {
	for _, path := range slices.Sorted(maps.Keys(set)) {
		if err := assign(config, path, set[path]); err != nil {
			return err
		}
	}
	return nil
}

// configure builds the Config of an instance: role, profile, properties, in this order.
func configure(start *driverpb.Start, _ *driver.Instance) (*sarama.Config, error) {
	chosen, err := profiles.Choose(family, start)
	if err != nil {
		return nil, err
	}
	config := sarama.NewConfig()
	if chosen.Bare {
		config = ownDefaults(start.Role)
	}
	config.ClientID = start.ClientId
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	if !driver.IsKeyed(start) { // the library's default hashes the key
		config.Producer.Partitioner = sarama.NewManualPartitioner
	}
	if err := adjust(config, chosen, start); err != nil {
		return nil, err
	}
	if err := config.Validate(); err != nil {
		return nil, driver.Refuse("%s rejects this configuration: %v", named(), err)
	}
	return config, nil
}

func adjust(config *sarama.Config, chosen driver.Profile, start *driverpb.Start) error {
	if !chosen.Bare {
		if err := assign(config, "Metadata.RefreshFrequency", never); err != nil {
			return err
		}
		if err := setProtocol(config, start.Broker, maxProtocol[start.Profile]); err != nil {
			return err
		}
	}
	if start.Role == "transactional" {
		if err := enableTransactions(config, start.TransactionalId); err != nil {
			return err
		}
		if start.Profile == "short-limits" {
			if err := assign(config, "Producer.Transaction.Timeout", "10s"); err != nil {
				return err
			}
		}
	}
	if start.Role == "admin" || (start.Role == "group" && commitsItself()) {
		disableAutoCommit(config)
	}
	if err := apply(start.Profile, config); err != nil {
		return err
	}
	if err := secure(config, start.Security); err != nil {
		return err
	}
	if start.Profile == staticMember {
		if err := assign(config, instanceID, start.Instance); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(start.Properties)) {
		if _, ours := forced[path]; ours || slices.Contains(reserved, path) {
			return driver.Refuse("Config.%s is set by the driver itself", path)
		}
	}
	if err := assignAll(config, start.Properties); err != nil {
		return err
	}
	return assignAll(config, forced)
}

// setProtocol sets the protocol version to the broker's release, at most the newest that the library knows: sarama does
// not negotiate by itself. An empty release line leaves the library's default, `limit` lowers the version further.
func setProtocol(config *sarama.Config, line, limit string) error {
	if line == "" && limit == "" {
		return nil
	}
	wanted, err := sarama.ParseKafkaVersion(driver.ExactVersion(line))
	if line != "" && err != nil {
		return driver.Refuse("sarama does not accept the broker version %q: %v", line, err)
	}
	if highest, err := sarama.ParseKafkaVersion(limit); err == nil && (line == "" || wanted.IsAtLeast(highest)) {
		wanted = highest
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
