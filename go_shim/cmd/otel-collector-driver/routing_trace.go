//go:build collector && trace_id

package main

import (
	"encoding/binary"
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// routing is the exporter's key by which a record's trace id chooses its partition.
const routing = "partition_logs_by_trace_id"

// routeTo returns what gives a record the trace id of a partition: the exporter's key is the id in hexadecimal.
func routeTo(partition int32) func(pcommon.Resource, plog.LogRecord) {
	id := func(number int) (trace [16]byte) {
		binary.BigEndian.PutUint64(trace[8:], uint64(number)+1)
		return trace
	}
	number, _ := driver.KeyFrom(partition, func(number int) string {
		trace := id(number)
		return hex.EncodeToString(trace[:])
	})
	return func(_ pcommon.Resource, record plog.LogRecord) { record.SetTraceID(id(number)) }
}
