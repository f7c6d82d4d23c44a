package main

import (
	"strconv"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/segmentio/kafka-go"
)

// layoutTTL is the default of Transport.MetadataTTL, which is not exported (transport.go, metadataTTL).
const layoutTTL = 6 * time.Second

// Back-offs that no field holds (writer.go, writeBatch; reader.go, commitOffsetsWithRetry).
const (
	shortestBackoff      = 100 * time.Millisecond
	longestWriteBackoff  = time.Second
	longestCommitBackoff = 5 * time.Second
)

// writerSettings reads the effective settings from the writer, most of them from its statistics, which include
// defaults.
func writerSettings(c *config, writer *kafka.Writer) map[string]string {
	stats := writer.Stats()
	found := map[string]string{
		"retries":            strconv.FormatInt(stats.MaxAttempts-1, 10),
		"linger_ms":          driver.Milliseconds(stats.BatchTimeout),
		"socket_timeout_ms":  driver.Milliseconds(stats.ReadTimeout),
		"request_timeout_ms": driver.Milliseconds(stats.WriteTimeout),
		"idempotence":        "false",
		"max_in_flight":      "1",
		"retry_backoff_ms":   driver.Milliseconds(orElse(time.Duration(number(&stats, "WriteBackoffMin")), shortestBackoff)),
		"longest_backoff_ms": driver.Milliseconds(orElse(time.Duration(number(&stats, "WriteBackoffMax")), longestWriteBackoff)),
	}
	acks := number(writer, "RequiredAcks")
	if c.writer == nil {
		acks = int64(c.old.RequiredAcks)
		found["refresh_ms"] = driver.Milliseconds(time.Duration(number(&stats, "RebalanceInterval")))
	} else {
		found["compression"] = driver.CodecNames[number(writer, "Compression")]
		found["refresh_ms"] = driver.Milliseconds(orElse(time.Duration(number(c.transport, "MetadataTTL")), layoutTTL))
		found["refresh_least_ms"] = "0" // each wait is a random part of it (transport.go, discover)
	}
	found["acks"] = driver.AckNames[acks]
	return found
}

// readerSettings reads the effective settings: NewReader fills in its defaults, Validate those of a group.
func readerSettings(reader *kafka.Reader) map[string]string {
	given := reader.Config()
	found := map[string]string{
		"retries":            strconv.Itoa(given.MaxAttempts),
		"request_timeout_ms": driver.Milliseconds(given.MaxWait),
		"socket_timeout_ms":  driver.Milliseconds(given.MaxWait),
		"retry_backoff_ms":   driver.Milliseconds(orElse(given.ReadBackoffMin, shortestBackoff)),
		"longest_backoff_ms": driver.Milliseconds(given.ReadBackoffMax),
		"isolation":          driver.IsolationNames[number(&given, "IsolationLevel")],
		"refresh_ms":         "-1", // it requests metadata when it connects, and never again
	}
	if given.GroupID != "" && given.WatchPartitionChanges {
		found["refresh_ms"] = driver.Milliseconds(given.PartitionWatchInterval)
	}
	if given.GroupID == "" {
		return found
	}
	group := kafka.ConsumerGroupConfig{
		ID: given.GroupID, Brokers: given.Brokers, Topics: []string{given.Topic},
		HeartbeatInterval: given.HeartbeatInterval, SessionTimeout: given.SessionTimeout,
		RebalanceTimeout: given.RebalanceTimeout,
	}
	if group.Validate() == nil { // it fills in defaults
		found["session_timeout_ms"] = driver.Milliseconds(group.SessionTimeout)
		found["rebalance_timeout_ms"] = driver.Milliseconds(group.RebalanceTimeout)
		found["heartbeat_ms"] = driver.Milliseconds(group.HeartbeatInterval)
	}
	found["longest_backoff_ms"] = driver.Milliseconds(max(given.ReadBackoffMax, longestCommitBackoff))
	return found
}

// orElse returns a setting, or its default where it is not set.
func orElse(value, standard time.Duration) time.Duration {
	if value <= 0 {
		return standard
	}
	return value
}
