// Command telegraf-driver drives Telegraf as what it is: an application. It starts the agent as a child process with a
// configuration file of its own, hands it one metric each interval per partition, and reports what it can know: what it
// handed over, the agent's log, and its end. Telegraf tells of no single delivery, so nothing is ever `acked`.
//
// The agent is this same program, started with the word `agent`: Telegraf's own packages with only the plugins that are
// needed. They are compiled in with the build tag `telegraf`; without it this program builds and can only say so.
package main

import (
	"os"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	module = "github.com/influxdata/telegraf"
	// agentWord makes this program the agent; the path of its configuration follows.
	agentWord = "agent"
	// loadedWords is what the agent logs once its configuration is loaded.
	loadedWords = "I! [telegraf] the configuration is loaded"
)

// local is the digest of a checkout that this driver was built with; set by the linker.
var local string

type opener func(*configuration, *driverpb.Start, *driver.Instance) (driver.Client, error)

var roles = []struct {
	name string
	open opener
}{
	{"producer", openProducer},
	{"group", openGroup},
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == agentWord {
		os.Exit(runAgent(os.Args[2]))
	}
	library := &driver.Library{
		Family: "telegraf", Version: version(), Profiles: profiles.Names(), Open: open, Describe: driver.Describe,
	}
	for _, role := range roles {
		library.Roles = append(library.Roles, role.name)
	}
	driver.Main(library)
}

func version() string { return driver.LinkedVersion(module, local) }

func open(start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	for _, role := range roles {
		if role.name != start.Role {
			continue
		}
		chosen, err := configure(start)
		if err != nil {
			return nil, err
		}
		return role.open(chosen, start, out)
	}
	return nil, driver.Refuse("telegraf has no role %q; it has producer, group", start.Role)
}
