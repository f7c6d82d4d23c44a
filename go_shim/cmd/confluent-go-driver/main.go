// Command confluent-go-driver drives github.com/confluentinc/confluent-kafka-go, which is librdkafka inside, in the roles
// of driver.proto. What the library reports is counted as by the driver of librdkafka, so that a difference between the
// two is one of the wrapper.
//
// The wrapper is compiled in with the build tag `confluent` and needs a C compiler; without the tag this program builds
// and only reports that.
package main

import "github.com/kafka-metadata-probe/go_shim/internal/driver"

const (
	family = "confluent-go"
	module = "github.com/confluentinc/confluent-kafka-go/v2"
)

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[config]{
	{Name: "producer", Open: openProducer},
	{Name: "consumer", Open: openConsumer},
	{Name: "group", Open: openGroup},
	{Name: "transactional", Open: openTransactional},
	{Name: "admin", Open: openAdmin},
}

func main() {
	driver.Main(&driver.Library{
		Family: family, Version: version(), Roles: roles.Names(), Profiles: profiles.Names(),
		Open: roles.Opener(family+" "+version(), configure), Describe: describe,
	})
}

func version() string { return driver.LinkedVersion(module, local) }
