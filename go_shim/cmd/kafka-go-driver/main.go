// Command kafka-go-driver drives github.com/segmentio/kafka-go in the roles of proto/driver.proto. One source is
// compiled against every version: the fields that only some versions have are found by reflection.
package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// local is the digest of a checkout that this driver was built with; set by the linker.
var local string

type opener func(*config, *driverpb.Start, *driver.Instance) (driver.Client, error)

var roles = []struct {
	name string
	open opener
}{
	{"producer", openProducer},
	{"consumer", openConsumer},
	{"group", openGroup},
}

func main() {
	library := &driver.Library{
		Family: "kafka-go", Version: version(), Profiles: profileNames(), Open: open, Describe: describe,
	}
	for _, role := range roles {
		library.Roles = append(library.Roles, role.name)
	}
	driver.Main(library)
}

func open(start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	for _, role := range roles {
		if role.name != start.Role {
			continue
		}
		config, err := configure(start)
		if err != nil {
			return nil, err
		}
		return role.open(config, start, out)
	}
	return nil, driver.Refuse("kafka-go has no role %q; it has producer, consumer, group", start.Role)
}

func version() string { return driver.LinkedVersion("github.com/segmentio/kafka-go", local) }
