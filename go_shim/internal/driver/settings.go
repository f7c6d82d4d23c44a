package driver

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Values of the settings of READY (driver.proto), by Kafka's codes; offsets by those of ListOffsets.
var (
	AckNames       = map[int64]string{-1: "all", 0: "0", 1: "1"}
	IsolationNames = map[int64]string{0: "read_uncommitted", 1: "read_committed"}
	ResetNames     = map[int64]string{-2: "earliest", -1: "latest"}
	CodecNames     = map[int64]string{0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
)

// SaramaBreakerOpen is the time for which sarama's producer rejects records without a request, once the leader of their
// partition was not found three times in a row (async_producer.go, newTopicProducer and newPartitionProducer:
// breaker.New(3, 1, 10*time.Second)).
const SaramaBreakerOpen = 10 * time.Second

// Milliseconds formats a duration as a setting of READY.
func Milliseconds(value time.Duration) string { return strconv.FormatInt(value.Milliseconds(), 10) }

// IncludesRole reports whether a list of roles, separated by spaces, has a role.
func IncludesRole(roles, role string) bool { return slices.Contains(strings.Fields(roles), role) }
