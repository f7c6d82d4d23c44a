package main

import (
	"reflect"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// secureByToken sets the log-in by tokens; a file with a build tag sets it, for versions that have it.
var secureByToken func(config *sarama.Config, asked *driverpb.Security)

// secure sets TLS and the log-in of the listener. Fields that only some versions have are found by reflection; the version
// of the log-in's messages (Net.SASL.Version) stays the library's own.
func secure(config *sarama.Config, asked *driverpb.Security) error {
	made, err := driver.TLSConfig(asked)
	if err != nil {
		return err
	}
	if made != nil {
		config.Net.TLS.Enable, config.Net.TLS.Config = true, made
	}
	if asked.GetMechanism() == "" {
		return nil
	}
	config.Net.SASL.Enable = true
	if asked.TokenEndpoint != "" {
		if secureByToken == nil {
			return driver.Refuse("%s has no mechanism %s", named(), asked.Mechanism)
		}
		secureByToken(config, asked)
		return nil
	}
	config.Net.SASL.User, config.Net.SASL.Password = asked.User, asked.Password
	if asked.Mechanism == "PLAIN" {
		return nil // the library's default, and the only one of versions without a choice
	}
	hash, known := scramHashes[asked.Mechanism]
	chosen, generator := field(config, "Net.SASL.Mechanism"), field(config, "Net.SASL.SCRAMClientGeneratorFunc")
	if !known || !chosen.IsValid() || !generator.IsValid() {
		return driver.Refuse("%s has no mechanism %s", named(), asked.Mechanism)
	}
	chosen.SetString(asked.Mechanism)
	client := generator.Type().Out(0) // an interface that the oldest versions lack
	generator.Set(reflect.MakeFunc(generator.Type(), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(&scramClient{hash: hash}).Convert(client)}
	}))
	return nil
}
