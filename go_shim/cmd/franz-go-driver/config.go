package main

import (
	"maps"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

var profiles = driver.Profiles{
	"isolated":   {},
	"defaults":   {Bare: true},
	"idempotent": driver.Writing("RequiredAcks", "all"), // idempotent unless switched off
	// Zero keeps the first attempt in every version; older versions counted that one as a retry.
	"no-retries": driver.Writing("RecordRetries", "0"),
	"acks-1":     {Writing: true, Set: map[string]string{"RequiredAcks": "1", "DisableIdempotentWrite": "true"}},
	"zstd":       driver.Writing("ProducerBatchCompression", "zstd"),
	// Brokers since 4.0 serve Produce from v3 on, which came with 0.11.
	"oldest-protocol": {Set: map[string]string{"MaxVersions": "0.11"}},
	"refresh-1s":      {Set: map[string]string{"MetadataMaxAge": "1s", "MetadataMinAge": "1s"}},
	"quick-timeouts": {Set: map[string]string{
		"RequestTimeoutOverhead": "5s", "ProduceRequestTimeout": "5s", "FetchMaxWait": "1s",
		"SessionTimeout": "5s", "RebalanceTimeout": "5s", "HeartbeatInterval": "1500ms",
	}},
	"short-limits": {Set: map[string]string{
		"SessionTimeout": "6s", "RebalanceTimeout": "8s", "TransactionTimeout": "10s",
	}},
	staticMember: {Set: map[string]string{"SessionTimeout": "6s", "RebalanceTimeout": "8s"}}, // InstanceID below
	"cooperative": {Set: map[string]string{
		"SessionTimeout": "6s", "RebalanceTimeout": "8s", "Balancers": "cooperative-sticky",
	}},
	autocommit: {Set: map[string]string{
		"SessionTimeout": "6s", "RebalanceTimeout": "8s", "AutoCommitInterval": "1s",
	}},
}

const (
	staticMember     = "static-member"
	autocommit       = "autocommit"
	consumerProtocol = "consumer-protocol"
)

// never is the longest metadata age that the library allows, longer than any trial.
const never = "1h"

// configure lists the options of an instance: driver, profile, properties, in this order. Options of the role's reads
// and writes are added where the client is built.
func configure(start *driverpb.Start, out *driver.Instance) ([]kgo.Opt, error) {
	chosen, err := profiles.Choose("franz-go", start)
	if err != nil {
		return nil, err
	}
	if start.Profile == consumerProtocol && start.Role != "group" {
		return nil, driver.Refuse("profile %s concerns members of a group, a %s is none", start.Profile, start.Role)
	}
	made := []kgo.Opt{
		kgo.SeedBrokers(start.Bootstrap...), kgo.ClientID(start.ClientId), kgo.WithLogger(notices{out}),
	}
	secure, err := secured(start.Security)
	if err != nil {
		return nil, err
	}
	dialer, err := dialed(start)
	if err != nil {
		return nil, err
	}
	made = append(append(made, secure...), dialer...)
	if !driver.IsKeyed(start) { // the library's default hashes the key
		made = append(made, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	}
	set := map[string]string{}
	if !chosen.Bare {
		set["MetadataMaxAge"] = never
	}
	maps.Copy(set, chosen.Set)
	if start.Profile == staticMember {
		set["InstanceID"] = start.Instance
	}
	maps.Copy(set, start.Properties)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		more, err := option(start, name, set[name])
		if err != nil {
			return nil, err
		}
		made = append(made, more...)
	}
	return made, nil
}

// optionsOfStart are options that need more of the instance than their text. Files with build tags add them.
var optionsOfStart = map[string]func(start *driverpb.Start, text string) ([]kgo.Opt, error){}

func option(start *driverpb.Start, name, text string) ([]kgo.Opt, error) {
	if made, found := optionsOfStart[name]; found {
		return made(start, text)
	}
	return property(name, text)
}

// notices reports the warnings of the library, which it logs only.
type notices struct{ out *driver.Instance }

func (n notices) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (n notices) Log(level kgo.LogLevel, message string, pairs ...any) {
	n.out.Log("%v: %s %v", level, message, pairs)
}
