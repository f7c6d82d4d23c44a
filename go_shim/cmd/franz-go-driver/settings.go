package main

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const every = "producer consumer group transactional admin"

// reported names, for READY, the field of the library's own configuration and the roles that it matters to. The oldest
// versions have no other way to ask for what is in force.
var reported = []struct{ name, field, roles string }{
	{"retries", "recordRetries", "producer transactional"},
	{"linger_ms", "linger", "producer transactional"},
	{"delivery_timeout_ms", "recordTimeout", "producer transactional"},
	{"max_in_flight", "maxProduceInflight", "producer transactional"},
	{"session_timeout_ms", "sessionTimeout", "group"},
	{"rebalance_timeout_ms", "rebalanceTimeout", "group"},
	{"heartbeat_ms", "heartbeatInterval", "group"},
	{"retries", "retries", "consumer group admin"},
	{"refresh_ms", "metadataMaxAge", every},
}

var (
	ackWords       = map[int64]string{-1: "all", 0: "0", 1: "1"}
	isolationWords = map[int64]string{0: "read_uncommitted", 1: "read_committed"}
	codecWords     = map[int64]string{0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
)

// settings reads what is in force from the client; what this version lacks is left out.
func settings(client *kgo.Client, role string) map[string]string {
	config := reflect.ValueOf(client).Elem().FieldByName("cfg")
	told := map[string]string{}
	for _, item := range reported {
		if value := config.FieldByName(item.field); value.IsValid() && serves(item.roles, role) {
			told[item.name] = show(value)
		}
	}
	if told["delivery_timeout_ms"] == "0" { // there is none
		delete(told, "delivery_timeout_ms")
	}
	switch role {
	case "producer", "transactional":
		told["acks"] = ackWords[integer(config, "acks", "val")]
		told["idempotence"] = strconv.FormatBool(!config.FieldByName("disableIdempotency").Bool())
		if codecs := config.FieldByName("compression"); codecs.Len() > 0 {
			told["compression"] = codecWords[codecs.Index(0).FieldByName("codec").Int()]
		}
	case "consumer", "group":
		level := config.FieldByName("isolationLevel")
		told["isolation"] = isolationWords[level.Int()]
	}
	limit(told, config, role)
	backoff(told, config)
	return told
}

// limit tells how long a request may stay unanswered: what the broker may take, and the overhead that is granted.
func limit(told map[string]string, config reflect.Value, role string) {
	took := time.Duration(config.FieldByName("requestTimeoutOverhead").Int())
	told["socket_timeout_ms"] = milliseconds(took)
	switch role {
	case "producer", "transactional":
		took += time.Duration(config.FieldByName("produceTimeout").Int())
	case "consumer", "group":
		took += time.Duration(config.FieldByName("maxWait").Int()) * time.Millisecond
	}
	told["request_timeout_ms"] = milliseconds(took)
}

// retriesTold is how far the back-offs of one operation are looked at; they grow no more after so many.
const retriesTold = 11

// backoff asks the library's own function, whose answers jitter around the back-off.
func backoff(told map[string]string, config reflect.Value) {
	ask := config.FieldByName("retryBackoff")
	if ask.Kind() != reflect.Func || ask.IsNil() {
		return
	}
	wait := *(*func(int) time.Duration)(ask.Addr().UnsafePointer())
	told["retry_backoff_ms"] = milliseconds(wait(0))
	told["longest_backoff_ms"] = milliseconds(wait(retriesTold))
}

func integer(value reflect.Value, path ...string) int64 {
	for _, name := range path {
		value = value.FieldByName(name)
	}
	return value.Int()
}

func show(value reflect.Value) string {
	if value.Type() == reflect.TypeFor[time.Duration]() {
		return milliseconds(time.Duration(value.Int()))
	}
	return strconv.FormatInt(value.Int(), 10)
}

func milliseconds(value time.Duration) string { return strconv.FormatInt(value.Milliseconds(), 10) }

func serves(roles, role string) bool { return slices.Contains(strings.Fields(roles), role) }
