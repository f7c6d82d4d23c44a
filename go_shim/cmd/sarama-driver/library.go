//go:build !watermill

package main

import (
	"slices"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	family = "sarama"
	module = saramaModule
)

// missing are the workloads that no application has: none.
var missing []driver.MissingWorkload

func roles() driver.Roles[*sarama.Config] {
	all := driver.Roles[*sarama.Config]{
		{Name: "producer", Open: openProducer},
		{Name: "consumer", Open: openConsumer},
		{Name: "group", Open: openGroup},
		{Name: "transactional", Open: openTransactional},
		{Name: "admin", Open: openAdmin},
	}
	return slices.DeleteFunc(all, func(role driver.Role[*sarama.Config]) bool {
		return role.Name == "transactional" && !hasTransactions()
	})
}

// ownDefaults is the configuration of an application that sets nothing.
func ownDefaults(string) *sarama.Config { return sarama.NewConfig() }

// commitsItself reports whether an application commits by calls of its own.
func commitsItself() bool { return hasCommit() }
