package main

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

var codecs = map[string]string{"0": "none", "1": "gzip", "2": "snappy", "3": "lz4", "4": "zstd"}

// breakerOpen is how long sarama's producer turns records away unasked once the leader of their partition could not be found
// three times in a row (async_producer.go: breaker.New(3, 1, 10*time.Second)).
const breakerOpen = 10 * time.Second

// writerSettings tells what is in force: what the configuration says, else Telegraf's default; what Telegraf cannot set
// is asked of the library inside it.
func writerSettings(c *configuration) map[string]string {
	told := shared(c)
	told["acks"] = map[string]string{"-1": "all", "0": "0", "1": "1"}[c.get("required_acks", "-1")]
	told["idempotence"] = c.get("idempotent_writes", "false")
	told["retries"] = c.get("max_retry", "3")
	told["compression"] = codecs[c.get("compression_codec", "0")]
	told["linger_ms"] = milliseconds(flush(c))
	told["retry_backoff_ms"] = milliseconds(duration("Producer.Retry.Backoff"))
	// What a flush could not write is tried again with the next one.
	longest := max(duration("Producer.Retry.Backoff"), duration("Metadata.Retry.Backoff"), flush(c), breakerOpen)
	told["longest_backoff_ms"] = milliseconds(longest)
	return filled(told)
}

func groupSettings(c *configuration) map[string]string {
	told := shared(c)
	told["session_timeout_ms"] = milliseconds(duration("Consumer.Group.Session.Timeout"))
	told["rebalance_timeout_ms"] = milliseconds(duration("Consumer.Group.Rebalance.Timeout"))
	told["heartbeat_ms"] = milliseconds(duration("Consumer.Group.Heartbeat.Interval"))
	told["retry_backoff_ms"] = milliseconds(duration("Consumer.Retry.Backoff"))
	longest := max(duration("Consumer.Retry.Backoff"), duration("Metadata.Retry.Backoff"),
		duration("Consumer.Group.Rebalance.Retry.Backoff"))
	told["longest_backoff_ms"] = milliseconds(longest)
	return filled(told)
}

func shared(c *configuration) map[string]string {
	return map[string]string{
		"request_timeout_ms": milliseconds(duration("Net.ReadTimeout")),
		"socket_timeout_ms":  milliseconds(duration("Net.ReadTimeout")),
		"refresh_ms":         milliseconds(duration("Metadata.RefreshFrequency")),
		"protocol":           c.get("version", text("Version")),
	}
}

// filled leaves out what nobody could tell.
func filled(told map[string]string) map[string]string {
	for name, value := range told {
		if value == "" {
			delete(told, name)
		}
	}
	return told
}

func flush(c *configuration) time.Duration {
	every, _ := time.ParseDuration(strings.Trim(c.sections["agent"]["flush_interval"], `"`))
	return every
}

// field finds a setting of the library inside Telegraf by its path; invalid where this version has none.
func field(path string) reflect.Value {
	value := reflect.ValueOf(library()).Elem()
	for name := range strings.SplitSeq(path, ".") {
		if value.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		value = value.FieldByName(name)
	}
	return value
}

func duration(path string) time.Duration {
	if value := field(path); value.IsValid() && value.CanInt() {
		return time.Duration(value.Int())
	}
	return 0
}

func text(path string) string {
	if value := field(path); value.IsValid() && value.CanInterface() {
		if told, is := value.Interface().(interface{ String() string }); is {
			return told.String()
		}
	}
	return ""
}

func milliseconds(value time.Duration) string {
	if value <= 0 {
		return ""
	}
	return strconv.FormatInt(value.Milliseconds(), 10)
}

// inside names the Kafka library in this Telegraf, for the record.
func inside() string {
	for _, path := range []string{"github.com/IBM/sarama", "github.com/Shopify/sarama"} {
		if driver.Linked(path) != nil {
			return path + " " + driver.LinkedVersion(path, "")
		}
	}
	return "no sarama"
}
