//go:build !confluent

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// absent reports that this program was built without the wrapper.
func absent(config, *driverpb.Start, *driver.Instance) (driver.Client, error) {
	return nil, driver.Refuse("built without confluent-kafka-go")
}

var openProducer, openConsumer, openGroup, openTransactional, openAdmin = absent, absent, absent, absent, absent

func describe(err error) *driverpb.Error { return driver.Describe(err) }
