package driver

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
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

// SetProperties passes the properties of an instance to `set`, in the order of their names, and returns the names. It
// refuses those by which the probe identifies partitions, instances and records; `set` refuses what does not exist.
func SetProperties(start *driverpb.Start, reserved []string, set func(key, value string) error) ([]string, error) {
	names := slices.Sorted(maps.Keys(start.Properties))
	for _, name := range names {
		if slices.Contains(reserved, name) {
			return nil, Refuse("%s is set by the driver itself", name)
		}
		if err := set(name, start.Properties[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// IsScalar reports whether a property is a number or a truth value, which files of settings hold without quotes.
func IsScalar(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || text == "true" || text == "false"
}
