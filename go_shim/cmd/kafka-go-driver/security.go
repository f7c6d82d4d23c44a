package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

var algorithms = map[string]scram.Algorithm{"SCRAM-SHA-256": scram.SHA256, "SCRAM-SHA-512": scram.SHA512}

// secure sets TLS and the log-in of the listener, for readers and writers.
func secure(dialer *kafka.Dialer, asked *driverpb.Security) error {
	var err error
	if dialer.TLS, err = driver.TLSConfig(asked); err != nil {
		return err
	}
	algorithm, salted := algorithms[asked.GetMechanism()]
	switch {
	case asked.GetMechanism() == "":
	case asked.Mechanism == "PLAIN":
		dialer.SASLMechanism = plain.Mechanism{Username: asked.User, Password: asked.Password}
	case salted:
		mechanism, err := scram.Mechanism(algorithm, asked.User, asked.Password)
		if err != nil {
			return driver.Refuse("kafka-go %s refuses this user or password", version())
		}
		dialer.SASLMechanism = mechanism
	default:
		return driver.Refuse("the driver has no mechanism %s", asked.Mechanism)
	}
	return nil
}
