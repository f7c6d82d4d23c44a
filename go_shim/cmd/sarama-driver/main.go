// Command sarama-driver drives github.com/IBM/sarama in the roles of driver.proto. One source is compiled with every
// version; fields and methods that only some versions have are found by reflection.
package main

import (
	"reflect"
	"slices"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

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

func main() {
	driver.Main(&driver.Library{
		Family: "sarama", Version: version(), Roles: roles().Names(), Profiles: profileNames(),
		Open: roles().Opener("sarama "+version(), configure), Describe: describe,
	})
}

func version() string { return driver.LinkedVersion("github.com/IBM/sarama", local) }

// has reports whether an interface of the library has a method in this version.
func has[T any](method string) bool {
	_, found := reflect.TypeFor[T]().MethodByName(method)
	return found
}

func hasTransactions() bool { return has[sarama.AsyncProducer]("BeginTxn") }
