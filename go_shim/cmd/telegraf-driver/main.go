// Command telegraf-driver drives Telegraf as an application. It starts the agent as a child process with a
// configuration file of its own, passes it one metric per interval and partition, and reports the metrics that it
// passed, the agent's log, and the agent's end. Telegraf reports no single delivery, so there is no `acked`.
//
// The agent is this same program, started with the argument `agent`: Telegraf's own packages with the needed plugins
// only. They are compiled in with the build tag `telegraf`; without the tag this program builds and only reports that.
package main

import (
	"os"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	module = "github.com/influxdata/telegraf"
	// agentCommand starts this program as the agent; the path of its configuration follows.
	agentCommand = "agent"
	// loadedLine is logged by the agent once its configuration is loaded.
	loadedLine = "I! [telegraf] the configuration is loaded"
)

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

var roles = driver.Roles[*configuration]{
	{Name: "producer", Open: openProducer},
	{Name: "group", Open: openGroup},
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == agentCommand {
		os.Exit(runAgent(os.Args[2]))
	}
	driver.Main(&driver.Library{
		Family: "telegraf", Version: version(), Roles: roles.Names(), Profiles: profiles.Names(),
		Open:     roles.Opener("telegraf "+version(), configure, ownPace(driver.Pipelined), ownPace(driver.Keyed)),
		Describe: driver.Describe,
	})
}

// ownPace says why Telegraf lacks a workload.
func ownPace(workload string) driver.MissingWorkload {
	return driver.MissingWorkload{Workload: workload, Reason: "the agent decides by itself how it sends records"}
}

func version() string { return driver.LinkedVersion(module, local) }
