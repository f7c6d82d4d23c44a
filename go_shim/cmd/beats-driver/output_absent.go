//go:build !beats

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// openProducer reports that this program was built without Beats.
func openProducer(settings, *driverpb.Start, *driver.Instance) (driver.Client, error) {
	return nil, driver.Refuse("built without Beats")
}
