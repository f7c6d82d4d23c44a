// sarama-driver wraps sarama, in whichever version it was built with, as proto/driver.proto asks. One source serves
// every version: what some versions lack is reached by reflection and reported as `unsupported`.
package main

import (
	"reflect"
	"runtime/debug"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// local is the digest of a checkout that this driver was built with; set by the linker.
var local string

type opener func(*sarama.Config, *driverpb.Start, *driver.Instance) (driver.Client, error)

var roles = []struct {
	name string
	open opener
	here func() bool
}{
	{"producer", openProducer, always},
	{"consumer", openConsumer, always},
	{"group", openGroup, always},
	{"transactional", openTransactional, hasTransactions},
	{"admin", openAdmin, always},
}

func always() bool { return true }

func main() {
	library := &driver.Library{
		Family: "sarama", Version: version(), Profiles: profileNames(), Open: open, Describe: describe,
	}
	for _, role := range roles {
		if role.here() {
			library.Roles = append(library.Roles, role.name)
		}
	}
	driver.Main(library)
}

func open(start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	for _, role := range roles {
		if role.name != start.Role {
			continue
		}
		if !role.here() {
			return nil, driver.Refuse("sarama %s has no %s role", version(), role.name)
		}
		config, err := configure(start)
		if err != nil {
			return nil, err
		}
		return role.open(config, start, out)
	}
	return nil, driver.Refuse("sarama has no role %q; it has producer, consumer, group, transactional, admin", start.Role)
}

func version() string { return driver.LinkedVersion("github.com/IBM/sarama", local) }

func linked(path string) *debug.Module {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module
		}
	}
	return nil
}

// has says whether an interface of the library has a method in this version.
func has[T any](method string) bool {
	_, found := reflect.TypeFor[T]().MethodByName(method)
	return found
}

func hasTransactions() bool { return has[sarama.AsyncProducer]("BeginTxn") }
