package main

import (
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
)

// layoutTTL is the default of Transport.MetadataTTL, which cannot be asked (transport.go, metadataTTL).
const layoutTTL = 6 * time.Second

// Back-offs that no field tells (writer.go, writeBatch; reader.go, commitOffsetsWithRetry).
const (
	shortestBackoff      = 100 * time.Millisecond
	longestWriteBackoff  = time.Second
	longestCommitBackoff = 5 * time.Second
)

var codecWords = map[int64]string{0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}

// writerSettings asks the writer what is in force. Its statistics tell most of it, defaults filled in.
func writerSettings(c *config, writer *kafka.Writer) map[string]string {
	stats := writer.Stats()
	told := map[string]string{
		"retries":            strconv.FormatInt(stats.MaxAttempts-1, 10),
		"linger_ms":          milliseconds(stats.BatchTimeout),
		"socket_timeout_ms":  milliseconds(stats.ReadTimeout),
		"request_timeout_ms": milliseconds(stats.WriteTimeout),
		"idempotence":        "false",
		"max_in_flight":      "1",
		"retry_backoff_ms":   milliseconds(orElse(time.Duration(number(&stats, "WriteBackoffMin")), shortestBackoff)),
		"longest_backoff_ms": milliseconds(orElse(time.Duration(number(&stats, "WriteBackoffMax")), longestWriteBackoff)),
	}
	acks := number(writer, "RequiredAcks")
	if c.writer == nil {
		acks = int64(c.old.RequiredAcks)
	} else {
		told["compression"] = codecWords[number(writer, "Compression")]
		told["refresh_ms"] = milliseconds(orElse(time.Duration(number(c.transport, "MetadataTTL")), layoutTTL))
		told["refresh_least_ms"] = "0" // each time it waits for a random part of it (transport.go, discover)
	}
	told["acks"] = map[int64]string{-1: "all", 0: "0", 1: "1"}[acks]
	return told
}

// readerSettings tells what is in force: NewReader filled in its defaults, and those of a group can be asked as well.
func readerSettings(reader *kafka.Reader) map[string]string {
	given := reader.Config()
	told := map[string]string{
		"retries":            strconv.Itoa(given.MaxAttempts),
		"request_timeout_ms": milliseconds(given.MaxWait),
		"socket_timeout_ms":  milliseconds(given.MaxWait),
		"retry_backoff_ms":   milliseconds(orElse(given.ReadBackoffMin, shortestBackoff)),
		"longest_backoff_ms": milliseconds(given.ReadBackoffMax),
		"isolation":          map[int64]string{0: "read_uncommitted", 1: "read_committed"}[number(&given, "IsolationLevel")],
		"refresh_ms":         "-1", // it asks when it connects, and never again
	}
	if given.GroupID == "" {
		return told
	}
	group := kafka.ConsumerGroupConfig{
		ID: given.GroupID, Brokers: given.Brokers, Topics: []string{given.Topic},
		HeartbeatInterval: given.HeartbeatInterval, SessionTimeout: given.SessionTimeout,
		RebalanceTimeout: given.RebalanceTimeout,
	}
	if group.Validate() == nil { // it fills in defaults
		told["session_timeout_ms"] = milliseconds(group.SessionTimeout)
		told["rebalance_timeout_ms"] = milliseconds(group.RebalanceTimeout)
		told["heartbeat_ms"] = milliseconds(group.HeartbeatInterval)
	}
	told["longest_backoff_ms"] = milliseconds(max(given.ReadBackoffMax, longestCommitBackoff))
	return told
}

// orElse is a setting, or its default where it is not set.
func orElse(value, standard time.Duration) time.Duration {
	if value <= 0 {
		return standard
	}
	return value
}

func milliseconds(value time.Duration) string { return strconv.FormatInt(value.Milliseconds(), 10) }
