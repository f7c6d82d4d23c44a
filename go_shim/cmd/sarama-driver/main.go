// Command sarama-driver drives github.com/IBM/sarama in the roles of driver.proto. One source is compiled with every
// version; fields and methods that only some versions have are found by reflection.
//
// With the build tag `watermill` it drives the wrapper watermill-kafka, a family of its own with sarama inside, by the same
// configuration.
package main

import (
	"reflect"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const saramaModule = "github.com/IBM/sarama"

// local is the digest of the checkout that this driver was built with; set by the linker.
var local string

func main() {
	driver.Main(&driver.Library{
		Family: family, Version: version(), Roles: roles().Names(), Profiles: profileNames(),
		Open: roles().Opener(named(), configure, missing...), Describe: describe,
	})
}

func version() string { return driver.LinkedVersion(module, local) }

// named is the family with its version.
func named() string { return family + " " + version() }

// has reports whether an interface of the library has a method in this version.
func has[T any](method string) bool {
	_, found := reflect.TypeFor[T]().MethodByName(method)
	return found
}

func hasTransactions() bool { return has[sarama.AsyncProducer]("BeginTxn") }
