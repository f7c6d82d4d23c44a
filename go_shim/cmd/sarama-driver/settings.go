package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

// reported names, for READY, where a setting stands in Config and which roles it matters to.
var reported = []struct{ name, path, roles string }{
	{"acks", "Producer.RequiredAcks", "producer transactional"},
	{"idempotence", "Producer.Idempotent", "producer transactional"},
	{"retries", "Producer.Retry.Max", "producer transactional"},
	{"retry_backoff_ms", "Producer.Retry.Backoff", "producer transactional"},
	{"compression", "Producer.Compression", "producer transactional"},
	{"linger_ms", "Producer.Flush.Frequency", "producer transactional"},
	{"retry_backoff_ms", "Consumer.Retry.Backoff", "consumer group"},
	{"isolation", "Consumer.IsolationLevel", "consumer group"},
	{"session_timeout_ms", "Consumer.Group.Session.Timeout", "group"},
	{"rebalance_timeout_ms", "Consumer.Group.Rebalance.Timeout", "group"},
	{"heartbeat_ms", "Consumer.Group.Heartbeat.Interval", "group"},
	{"retries", "Metadata.Retry.Max", "admin"},
	{"retry_backoff_ms", "Metadata.Retry.Backoff", "admin"},
	// The only limit of sarama's own on an unanswered request; Producer.Timeout is the broker's to keep.
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

// breakerOpen is how long a producer turns records away unasked once the leader of their partition could not be found three
// times in a row (async_producer.go, newTopicProducer and newPartitionProducer: breaker.New(3, 1, 10*time.Second)).
const breakerOpen = 10 * time.Second

var isolation = map[string]string{"0": "read_uncommitted", "1": "read_committed"}

// settings reads what is in force back from the Config; what this version lacks is left out.
func settings(config *sarama.Config, role string) map[string]string {
	told := map[string]string{}
	for _, item := range reported {
		if value := field(config, item.path); value.IsValid() && serves(item.roles, role) {
			told[item.name] = show(value)
		}
	}
	if told["refresh_ms"] == "0" {
		told["refresh_ms"] = "-1"
	}
	if level, found := told["isolation"]; found {
		told["isolation"] = isolation[level]
	}
	longest := time.Duration(0)
	if serves("producer transactional", role) {
		longest = breakerOpen
	}
	for _, item := range backoffs {
		if value := field(config, item.path); value.IsValid() && serves(item.roles, role) {
			longest = max(longest, time.Duration(value.Int()))
		}
	}
	told["longest_backoff_ms"] = strconv.FormatInt(longest.Milliseconds(), 10)
	return told
}

func serves(roles, role string) bool { return slices.Contains(strings.Fields(roles), role) }
