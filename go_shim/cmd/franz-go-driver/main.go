// Command franz-go-driver drives github.com/twmb/franz-go in the roles of driver.proto. One source is compiled with
// every version; code for some versions only is in files with a build tag (client.toml, source.tags).
package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[[]kgo.Opt]{
	{Name: "producer", Open: openProducer},
	{Name: "consumer", Open: openConsumer},
	{Name: "group", Open: openGroup},
	{Name: "transactional", Open: openTransactional},
	{Name: "admin", Open: openAdmin},
}

func main() {
	driver.Main(&driver.Library{
		Family: "franz-go", Version: version(), Roles: roles.Names(), Profiles: profiles.Names(),
		Open: roles.Opener("franz-go "+version(), configure), Describe: describe,
	})
}

func version() string { return driver.LinkedVersion("github.com/twmb/franz-go", local) }

// connect builds the client; Unsupported where the library rejects its options. It opens no connection yet.
func connect(options []kgo.Opt, start *driverpb.Start, out *driver.Instance, more ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(append(options, more...)...)
	if err != nil {
		return nil, driver.Refuse("franz-go %s rejects this configuration: %v", version(), err)
	}
	out.Ready(settings(client, start.Role))
	return client, nil
}
