//go:build !collector

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// openProducer reports that this program was built without the Collector.
func openProducer(*configuration, *driverpb.Start, *driver.Instance) (driver.Client, error) {
	return nil, driver.Refuse("built without the Collector")
}

// openGroup reports that this program was built without the Collector.
func openGroup(c *configuration, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	return openProducer(c, start, out)
}
