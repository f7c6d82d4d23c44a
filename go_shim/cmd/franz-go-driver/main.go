// Command franz-go-driver drives github.com/twmb/franz-go in the roles of proto/driver.proto. One source is compiled
// against every version; what only some versions have stands in files with a build tag (client.toml, source.tags).
package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// local is the digest of a checkout that this driver was built with; set by the linker.
var local string

type opener func([]kgo.Opt, *driverpb.Start, *driver.Instance) (driver.Client, error)

var roles = []struct {
	name string
	open opener
}{
	{"producer", openProducer},
	{"consumer", openConsumer},
	{"group", openGroup},
	{"transactional", openTransactional},
	{"admin", openAdmin},
}

func main() {
	library := &driver.Library{
		Family: "franz-go", Version: version(), Profiles: profiles.Names(), Open: open, Describe: describe,
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
		options, err := configure(start, out)
		if err != nil {
			return nil, err
		}
		return role.open(options, start, out)
	}
	return nil, driver.Refuse("franz-go has no role %q; it has producer, consumer, group, transactional, admin", start.Role)
}

func version() string { return driver.LinkedVersion("github.com/twmb/franz-go", local) }

// connect builds the client; Unsupported where the library refuses its options. It makes no connection yet.
func connect(options []kgo.Opt, start *driverpb.Start, out *driver.Instance, more ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(append(options, more...)...)
	if err != nil {
		return nil, driver.Refuse("franz-go %s refuses this configuration: %v", version(), err)
	}
	out.Ready(settings(client, start.Role))
	return client, nil
}
