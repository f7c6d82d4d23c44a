//go:build franz

package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

// chosen is `kafka_franz` (internal/impl/kafka/output_kafka_franz.go and input_kafka_franz.go). It has no key for the
// metadata refresh: franz-go's five minutes are longer than any trial.
var chosen = component{
	family: "benthos-kafka-franz", name: "kafka_franz", library: "github.com/twmb/franz-go", brokers: "seed_brokers",
	profiles: driver.Profiles{
		"isolated":   {},
		"defaults":   {Bare: true},
		"idempotent": byWriting(map[string]string{"idempotent_write": "true"}),
		"zstd":       byWriting(map[string]string{"compression": "zstd"}),
	},
	defaults: map[string]string{"refresh_ms": "300000", "retry_backoff_ms": "250", "longest_backoff_ms": "2500"},
	writes: map[string]string{
		"acks": "all", "idempotence": "true", "request_timeout_ms": "10000", "compression": "snappy",
	},
	reads: map[string]string{
		"session_timeout_ms": "45000", "rebalance_timeout_ms": "60000", "heartbeat_ms": "3000", "offset_reset": "earliest",
	},
	named: map[string]string{
		"idempotent_write": "idempotence", "timeout": "request_timeout_ms", "compression": "compression",
	},
}
