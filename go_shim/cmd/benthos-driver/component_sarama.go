//go:build !franz

package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

// chosen is `kafka` (internal/impl/kafka/output_sarama_kafka.go and input_sarama_kafka.go). It has no key for the metadata
// refresh: sarama's ten minutes are longer than any trial.
var chosen = component{
	family: "benthos-kafka", name: "kafka", library: "github.com/IBM/sarama", brokers: "addresses",
	profiles: driver.Profiles{
		"isolated": {},
		"defaults": {Bare: true},
		"acks-1":   byWriting(map[string]string{"ack_replicas": "false"}),
		"zstd":     byWriting(map[string]string{"compression": "zstd"}),
	},
	defaults: map[string]string{"refresh_ms": "600000", "socket_timeout_ms": "30000"},
	writes: map[string]string{
		"acks": "1", "idempotence": "false", "request_timeout_ms": "5000", "compression": "none",
		// Benthos's own retries: 3 s, then longer up to 10 s; sarama's breaker is open as long.
		"retry_backoff_ms": "100", "longest_backoff_ms": driver.Milliseconds(driver.SaramaBreakerOpen),
	},
	reads: map[string]string{
		"session_timeout_ms": "10000", "rebalance_timeout_ms": "60000", "heartbeat_ms": "3000", "offset_reset": "earliest",
		"retry_backoff_ms": "2000", "longest_backoff_ms": "2000",
	},
	named: map[string]string{
		"timeout": "request_timeout_ms", "compression": "compression",
		"group.session_timeout": "session_timeout_ms", "group.heartbeat_interval": "heartbeat_ms",
		"group.rebalance_timeout": "rebalance_timeout_ms", "backoff.max_interval": "longest_backoff_ms",
	},
}
