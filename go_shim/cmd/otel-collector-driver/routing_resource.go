//go:build collector && !trace_id

package main

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatautil"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// routing is the exporter's key by which the attributes of a record's resource choose its partition.
const routing = "partition_logs_by_resource_attributes"

// routeTo returns what gives a record the resource of a partition: the exporter's key is the hash of its attributes.
func routeTo(partition int32) func(pcommon.Resource, plog.LogRecord) {
	number, _ := driver.KeyFrom(partition, func(number int) string {
		attributes := pcommon.NewMap()
		attributes.PutInt(probe, int64(number))
		hash := pdatautil.MapHash(attributes)
		return string(hash[:])
	})
	return func(resource pcommon.Resource, _ plog.LogRecord) { resource.Attributes().PutInt(probe, int64(number)) }
}
