// Command kafka-go-driver drives github.com/segmentio/kafka-go in the roles of driver.proto. One source is compiled
// with every version; fields that only some versions have are found by reflection.
package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[*config]{
	{Name: "producer", Open: openProducer},
	{Name: "consumer", Open: openConsumer},
	{Name: "group", Open: openGroup},
}

func main() {
	driver.Main(&driver.Library{
		Family: "kafka-go", Version: version(), Roles: roles.Names(), Profiles: profileNames(),
		Open: roles.Opener("kafka-go "+version(), configure), Describe: describe,
	})
}

func version() string { return driver.LinkedVersion("github.com/segmentio/kafka-go", local) }
