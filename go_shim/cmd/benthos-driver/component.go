package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// component is one of Benthos's two Kafka components.
type component struct {
	family   string
	name     string // in a stream's configuration
	library  string // module path of the Kafka library inside
	brokers  string // key of the addresses
	profiles driver.Profiles
	// defaults are the effective settings by the names of driver.proto where the section does not set them: of both
	// roles, then of each.
	defaults, writes, reads map[string]string
	// named are keys of the section whose values are settings of driver.proto; durations in milliseconds.
	named map[string]string
}

// byWriting is a profile of a role that writes.
func byWriting(set map[string]string) driver.Profile { return driver.Profile{Writing: true, Set: set} }
