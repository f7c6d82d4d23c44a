package main

import (
	"slices"
	"strconv"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	writers  = "producer transactional"
	readers  = "consumer group"
	allRoles = writers + " " + readers + " admin"
)

// reported maps settings of READY to librdkafka's and to the roles that they concern (CONFIGURATION.md).
var reported = []struct{ name, key, roles string }{
	{"retries", "message.send.max.retries", writers},
	{"retry_backoff_ms", "retry.backoff.ms", allRoles},
	{"request_timeout_ms", "request.timeout.ms", writers},
	{"delivery_timeout_ms", "message.timeout.ms", writers},
	{"socket_timeout_ms", "socket.timeout.ms", allRoles},
	{"refresh_ms", refresh, allRoles},
	{"linger_ms", "queue.buffering.max.ms", writers},
	{"max_in_flight", "max.in.flight.requests.per.connection", writers},
	{"idempotence", "enable.idempotence", writers},
	{"compression", "compression.codec", writers},
	{"session_timeout_ms", "session.timeout.ms", "group"},
	{"rebalance_timeout_ms", "max.poll.interval.ms", "group"},
	{"heartbeat_ms", "heartbeat.interval.ms", "group"},
	{"protocol", "group.protocol", "group"},
	{"isolation", "isolation.level", readers + " admin"},
	{"offset_reset", "auto.offset.reset", readers + " admin"},
}

var (
	backoffs = []string{"retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.max.ms", "fetch.error.backoff.ms"}
	// resets are librdkafka's older words for the values of auto.offset.reset.
	resets = map[string]string{"smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest"}
)

// idempotentInFlight is max.in.flight with idempotence (rd_kafka_conf_finalize in rdkafka_conf.c).
const idempotentInFlight = 5

// settings names the effective settings of a role as READY has them; those that a version lacks are left out.
func settings(effective map[string]string, role string) map[string]string {
	found := map[string]string{}
	for _, item := range reported {
		if value, known := effective[item.key]; known && driver.IncludesRole(item.roles, role) {
			found[item.name] = value
		}
	}
	if word, old := resets[found["offset_reset"]]; old {
		found["offset_reset"] = word
	}
	var waits []int
	for _, key := range backoffs {
		if wait, err := strconv.Atoi(effective[key]); err == nil {
			waits = append(waits, wait)
		}
	}
	if len(waits) > 0 {
		found["longest_backoff_ms"] = strconv.Itoa(slices.Max(waits))
	}
	if driver.IncludesRole(writers, role) {
		acks, _ := strconv.ParseInt(effective["request.required.acks"], 10, 32)
		found["acks"] = driver.AckNames[acks]
		if role == "transactional" || found["idempotence"] == "true" {
			found["idempotence"] = "true"
			limit, _ := strconv.Atoi(found["max_in_flight"])
			found["max_in_flight"] = strconv.Itoa(min(limit, idempotentInFlight))
		}
	}
	return found
}
