package main

import (
	"strconv"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// reported maps settings of READY to paths of Config and to the roles that they concern.
var reported = []struct{ name, path, roles string }{
	{"acks", "Producer.RequiredAcks", "producer transactional"},
	{"idempotence", "Producer.Idempotent", "producer transactional"},
	{"retries", "Producer.Retry.Max", "producer transactional"},
	{"retry_backoff_ms", "Producer.Retry.Backoff", "producer transactional"},
	{"compression", "Producer.Compression", "producer transactional"},
	{"linger_ms", "Producer.Flush.Frequency", "producer transactional"},
	{"retry_backoff_ms", "Consumer.Retry.Backoff", "consumer group"},
	{"isolation", "Consumer.IsolationLevel", "consumer group"},
	// A group uses it for any position out of range; a consumer without one closes the partition there.
	{"offset_reset", "Consumer.Offsets.Initial", "group"},
	{"session_timeout_ms", "Consumer.Group.Session.Timeout", "group"},
	{"rebalance_timeout_ms", "Consumer.Group.Rebalance.Timeout", "group"},
	{"heartbeat_ms", "Consumer.Group.Heartbeat.Interval", "group"},
	{"retries", "Metadata.Retry.Max", "admin"},
	{"retry_backoff_ms", "Metadata.Retry.Backoff", "admin"},
	// sarama's own limit on a missing response; Producer.Timeout is applied by the broker.
	{"request_timeout_ms", "Net.ReadTimeout", "producer consumer group transactional admin"},
	{"socket_timeout_ms", "Net.ReadTimeout", "producer consumer group transactional admin"},
	{"refresh_ms", "Metadata.RefreshFrequency", "producer consumer group transactional admin"},
	{"max_in_flight", "Net.MaxOpenRequests", "producer consumer group transactional admin"},
	{"protocol", "Version", "producer consumer group transactional admin"},
}

var backoffs = []struct{ path, roles string }{
	{"Metadata.Retry.Backoff", "producer consumer group transactional admin"},
	{"Producer.Retry.Backoff", "producer transactional"},
	{"Producer.Transaction.Retry.Backoff", "transactional"},
	{"Consumer.Retry.Backoff", "consumer group"},
	{"Consumer.Group.Rebalance.Retry.Backoff", "group"},
}

// settings reads the effective settings back from the Config; paths that this version lacks are left out.
func settings(config *sarama.Config, role string) map[string]string {
	found := map[string]string{}
	for _, item := range reported {
		if value := field(config, item.path); value.IsValid() && driver.IncludesRole(item.roles, role) {
			found[item.name] = format(value)
		}
	}
	if found["refresh_ms"] == "0" {
		found["refresh_ms"] = "-1"
	}
	if level, err := strconv.ParseInt(found["isolation"], 10, 8); err == nil {
		found["isolation"] = driver.IsolationNames[level]
	}
	if offset, err := strconv.ParseInt(found["offset_reset"], 10, 64); err == nil {
		found["offset_reset"] = driver.ResetNames[offset]
	}
	longest := time.Duration(0)
	if driver.IncludesRole("producer transactional", role) {
		longest = driver.SaramaBreakerOpen
	}
	for _, item := range backoffs {
		if value := field(config, item.path); value.IsValid() && driver.IncludesRole(item.roles, role) {
			longest = max(longest, time.Duration(value.Int()))
		}
	}
	found["longest_backoff_ms"] = driver.Milliseconds(longest)
	return found
}
