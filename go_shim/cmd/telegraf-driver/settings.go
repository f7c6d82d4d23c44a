package main

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// writerSettings returns the effective settings: the configuration's, else Telegraf's defaults, else those of the
// library inside it.
func writerSettings(c *configuration) map[string]string {
	settings := shared(c)
	settings["acks"] = driver.AckNames[number(c.get("required_acks", "-1"))]
	settings["idempotence"] = c.get("idempotent_writes", "false")
	settings["retries"] = c.get("max_retry", "3")
	settings["compression"] = driver.CodecNames[number(c.get("compression_codec", "0"))]
	settings["linger_ms"] = milliseconds(flush(c))
	settings["retry_backoff_ms"] = milliseconds(duration("Producer.Retry.Backoff"))
	// A failed flush is repeated with the next one.
	longest := max(duration("Producer.Retry.Backoff"), duration("Metadata.Retry.Backoff"), flush(c), driver.SaramaBreakerOpen)
	settings["longest_backoff_ms"] = milliseconds(longest)
	return withoutEmpty(settings)
}

func groupSettings(c *configuration) map[string]string {
	settings := shared(c)
	settings["session_timeout_ms"] = milliseconds(duration("Consumer.Group.Session.Timeout"))
	settings["rebalance_timeout_ms"] = milliseconds(duration("Consumer.Group.Rebalance.Timeout"))
	settings["heartbeat_ms"] = milliseconds(duration("Consumer.Group.Heartbeat.Interval"))
	settings["retry_backoff_ms"] = milliseconds(duration("Consumer.Retry.Backoff"))
	longest := max(duration("Consumer.Retry.Backoff"), duration("Metadata.Retry.Backoff"),
		duration("Consumer.Group.Rebalance.Retry.Backoff"))
	settings["longest_backoff_ms"] = milliseconds(longest)
	return withoutEmpty(settings)
}

func shared(c *configuration) map[string]string {
	return map[string]string{
		"request_timeout_ms": milliseconds(duration("Net.ReadTimeout")),
		"socket_timeout_ms":  milliseconds(duration("Net.ReadTimeout")),
		"refresh_ms":         milliseconds(duration("Metadata.RefreshFrequency")),
		"protocol":           c.get("version", text("Version")),
	}
}

// withoutEmpty removes settings without a value.
func withoutEmpty(settings map[string]string) map[string]string {
	for name, value := range settings {
		if value == "" {
			delete(settings, name)
		}
	}
	return settings
}

func flush(c *configuration) time.Duration {
	interval, _ := time.ParseDuration(strings.Trim(c.sections["agent"]["flush_interval"], `"`))
	return interval
}

// field returns a setting of the library inside Telegraf by its path; invalid where this version has none.
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
		if stringer, ok := value.Interface().(interface{ String() string }); ok {
			return stringer.String()
		}
	}
	return ""
}

// milliseconds is driver.Milliseconds, empty for a setting without a value.
func milliseconds(value time.Duration) string {
	if value <= 0 {
		return ""
	}
	return driver.Milliseconds(value)
}

// number parses a code; -2, which has no name, where it is none.
func number(text string) int64 {
	if value, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value
	}
	return -2
}

// inside returns the name and version of the Kafka library in this Telegraf.
func inside() string {
	for _, path := range []string{"github.com/IBM/sarama", "github.com/Shopify/sarama"} {
		if driver.Linked(path) != nil {
			return path + " " + driver.LinkedVersion(path, "")
		}
	}
	return "no sarama"
}
