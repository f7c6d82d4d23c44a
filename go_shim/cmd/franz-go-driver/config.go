package main

import (
	"context"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

var profiles = driver.Profiles{
	"isolated":   {},
	"defaults":   {Bare: true},
	"idempotent": {Writing: true, Set: map[string]string{"RequiredAcks": "all"}}, // it is unless switched off
	// Zero leaves the first try alone in every version; that one counted as a retry in older ones.
	"no-retries": {Writing: true, Set: map[string]string{"RecordRetries": "0"}},
	"acks-1":     {Writing: true, Set: map[string]string{"RequiredAcks": "1", "DisableIdempotentWrite": "true"}},
	"zstd":       {Writing: true, Set: map[string]string{"ProducerBatchCompression": "zstd"}},
	// Brokers since 4.0 serve no older Produce than v3, which is 0.11's.
	"oldest-protocol": {Set: map[string]string{"MaxVersions": "0.11"}},
	"refresh-1s":      {Set: map[string]string{"MetadataMaxAge": "1s", "MetadataMinAge": "1s"}},
	"quick-timeouts": {Set: map[string]string{
		"RequestTimeoutOverhead": "5s", "ProduceRequestTimeout": "5s", "FetchMaxWait": "1s",
		"SessionTimeout": "5s", "RebalanceTimeout": "5s", "HeartbeatInterval": "1500ms",
	}},
}

// never is the longest age that the library allows; no trial lives to see it.
const never = "1h"

// quickDial is how long a connection may take where timeouts are short.
const quickDial = 5 * time.Second

// configure lists the options of an instance: driver, profile, properties, in this order. Those of what the role reads
// or writes are added where the client is built.
func configure(start *driverpb.Start, out *driver.Instance) ([]kgo.Opt, error) {
	chosen, err := profiles.Choose("franz-go", start)
	if err != nil {
		return nil, err
	}
	made := []kgo.Opt{
		kgo.SeedBrokers(start.Bootstrap...), kgo.ClientID(start.ClientId),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.WithLogger(notices{out}),
	}
	if start.Profile == "quick-timeouts" {
		made = append(made, kgo.Dialer((&net.Dialer{Timeout: quickDial}).DialContext))
	}
	set := map[string]string{}
	if !chosen.Bare {
		set["MetadataMaxAge"] = never
	}
	maps.Copy(set, chosen.Set)
	maps.Copy(set, start.Properties)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		more, err := property(name, set[name])
		if err != nil {
			return nil, err
		}
		made = append(made, more...)
	}
	return made, nil
}

// notices passes on what the library warns of; it tells the application no other way.
type notices struct{ out *driver.Instance }

func (n notices) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (n notices) Log(level kgo.LogLevel, message string, pairs ...any) {
	n.out.Log("%v: %s %v", level, message, pairs)
}

// patient is a time limit as applications give one to calls that the library would retry for very long.
func patient(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), limit)
}
