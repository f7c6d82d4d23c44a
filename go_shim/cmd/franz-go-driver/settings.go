package main

import (
	"reflect"
	"strconv"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/twmb/franz-go/pkg/kgo"
)

const allRoles = "producer consumer group transactional admin share"

// reported maps settings of READY to fields of the library's own configuration and to the roles that they concern. The
// oldest versions have no other access to effective settings.
var reported = []struct{ name, field, roles string }{
	{"retries", "recordRetries", "producer transactional"},
	{"linger_ms", "linger", "producer transactional"},
	{"delivery_timeout_ms", "recordTimeout", "producer transactional"},
	{"max_in_flight", "maxProduceInflight", "producer transactional"},
	{"session_timeout_ms", "sessionTimeout", "group"},
	{"rebalance_timeout_ms", "rebalanceTimeout", "group"},
	{"heartbeat_ms", "heartbeatInterval", "group"},
	{"retries", "retries", "consumer group admin share"},
	{"refresh_ms", "metadataMaxAge", allRoles},
}

// settings reads the effective settings from the client; fields that this version lacks are left out.
func settings(client *kgo.Client, role string) map[string]string {
	config := reflect.ValueOf(client).Elem().FieldByName("cfg")
	found := map[string]string{}
	for _, item := range reported {
		if value := config.FieldByName(item.field); value.IsValid() && driver.IncludesRole(item.roles, role) {
			found[item.name] = format(value)
		}
	}
	if found["delivery_timeout_ms"] == "0" { // 0 means no limit
		delete(found, "delivery_timeout_ms")
	}
	switch role {
	case "producer", "transactional":
		found["acks"] = driver.AckNames[integer(config, "acks", "val")]
		found["idempotence"] = strconv.FormatBool(!config.FieldByName("disableIdempotency").Bool())
		if codecs := config.FieldByName("compression"); codecs.Len() > 0 {
			found["compression"] = driver.CodecNames[codecs.Index(0).FieldByName("codec").Int()]
		}
	case "consumer", "group":
		level := config.FieldByName("isolationLevel")
		found["isolation"] = driver.IsolationNames[level.Int()]
		if reset, known := driver.ResetNames[integer(config, "resetOffset", "at")]; known {
			found["offset_reset"] = reset
		}
	}
	requestTimeout(found, config, role)
	backoff(found, config)
	return found
}

// requestTimeout sets the longest time without a response: the broker's own limit plus the overhead of the library.
func requestTimeout(found map[string]string, config reflect.Value, role string) {
	timeout := time.Duration(config.FieldByName("requestTimeoutOverhead").Int())
	found["socket_timeout_ms"] = driver.Milliseconds(timeout)
	switch role {
	case "producer", "transactional":
		timeout += time.Duration(config.FieldByName("produceTimeout").Int())
	case "consumer", "group", "share":
		timeout += time.Duration(config.FieldByName("maxWait").Int()) * time.Millisecond
	}
	found["request_timeout_ms"] = driver.Milliseconds(timeout)
}

// backoffRetries is the number of retries of one operation after which the back-off does not grow any more.
const backoffRetries = 11

// backoff calls the library's own function, whose results have jitter.
func backoff(found map[string]string, config reflect.Value) {
	function := config.FieldByName("retryBackoff")
	if function.Kind() != reflect.Func || function.IsNil() {
		return
	}
	wait := *(*func(int) time.Duration)(function.Addr().UnsafePointer())
	found["retry_backoff_ms"] = driver.Milliseconds(wait(0))
	found["longest_backoff_ms"] = driver.Milliseconds(wait(backoffRetries))
}

func integer(value reflect.Value, path ...string) int64 {
	for _, name := range path {
		value = value.FieldByName(name)
	}
	return value.Int()
}

func format(value reflect.Value) string {
	if value.Type() == reflect.TypeFor[time.Duration]() {
		return driver.Milliseconds(time.Duration(value.Int()))
	}
	return strconv.FormatInt(value.Int(), 10)
}
