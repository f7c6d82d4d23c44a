// Command otel-collector-driver drives the OpenTelemetry Collector as an application: a whole Collector in this process,
// with its own configuration, of one pipeline for logs. As a producer it sends what a receiver of this driver hands it to
// the Kafka exporter; as a group it reads by the Kafka receiver and hands that to an exporter of this driver. A sending
// queue is between the pipeline and Kafka, so no single delivery is reported; the Collector's log is passed on as notices.
//
// The Collector is compiled in with the build tag `collector`; without the tag this program builds and only reports that.
package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

const module = "github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter"

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[*configuration]{
	{Name: "producer", Open: openProducer},
	{Name: "group", Open: openGroup},
}

func main() {
	driver.Main(&driver.Library{
		Family: "otel-collector", Version: version(), Roles: roles.Names(), Profiles: profiles.Names(),
		Open:     roles.Opener("otel-collector "+version(), configure, ownPace(driver.Pipelined), ownPace(driver.Keyed)),
		Describe: driver.Describe,
	})
}

// ownPace says why the Collector lacks a workload.
func ownPace(workload string) driver.MissingWorkload {
	return driver.MissingWorkload{Workload: workload, Reason: "the Collector decides by itself how it sends records"}
}

func version() string { return driver.LinkedVersion(module, local) }
