// Command benthos-driver drives Benthos as an application: a whole stream in this process, with one of the two Kafka
// components that Benthos has, which are two families: `kafka` (sarama) and `kafka_franz` (franz-go). As a producer it
// hands the stream one message per interval and partition; as a group it takes what the stream's input reads. The stream
// reports when a message was delivered; here that is a notice, as applications are judged by the wire alone.
//
// Benthos is compiled in with the build tag `benthos`, and the tag `franz` chooses the component; without the first this
// program builds and only reports that.
package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

const module = "github.com/benthosdev/benthos/v4"

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[settings]{
	{Name: "producer", Open: openProducer},
	{Name: "group", Open: openGroup},
}

func main() {
	driver.Main(&driver.Library{
		Family: chosen.family, Version: version(), Roles: roles.Names(), Profiles: chosen.profiles.Names(),
		Open: roles.Opener(
			chosen.family+" "+version(), configure, ownPace(driver.Pipelined), ownPace(driver.Keyed),
		),
		Describe: driver.Describe,
	})
}

// ownPace says why Benthos lacks a workload.
func ownPace(workload string) driver.MissingWorkload {
	return driver.MissingWorkload{Workload: workload, Reason: "the stream decides by itself how it sends records"}
}

func version() string { return driver.LinkedVersion(module, local) }
