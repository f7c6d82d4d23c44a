//go:build !benthos

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// openProducer reports that this program was built without Benthos.
func openProducer(settings, *driverpb.Start, *driver.Instance) (driver.Client, error) {
	return nil, driver.Refuse("built without Benthos")
}

// openGroup reports that this program was built without Benthos.
func openGroup(set settings, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	return openProducer(set, start, out)
}
