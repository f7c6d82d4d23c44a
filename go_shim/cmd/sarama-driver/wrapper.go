//go:build watermill

package main

import (
	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	family = "watermill"
	module = "github.com/ThreeDotsLabs/watermill-kafka/v3"
)

// missing are the workloads that no application has.
var missing = []driver.MissingWorkload{{
	Workload: driver.Pipelined, Reason: "Publish sends one record after the other and waits for each",
}}

func roles() driver.Roles[*sarama.Config] {
	return driver.Roles[*sarama.Config]{
		{Name: "producer", Open: openPublisher},
		{Name: "consumer", Open: openSubscriber},
		{Name: "group", Open: openSubscriber},
	}
}

// ownDefaults is the configuration of an application that sets nothing.
func ownDefaults(role string) *sarama.Config {
	if role == "producer" {
		return kafka.DefaultSaramaSyncPublisherConfig()
	}
	return kafka.DefaultSaramaSubscriberConfig()
}

// commitsItself reports whether an application commits by calls of its own: it acknowledges messages, and the library
// commits in the background, or the wrapper does where that is switched off.
func commitsItself() bool { return false }

// runs is the notice that names the library inside.
func runs() string { return "with " + saramaModule + " " + driver.LinkedVersion(saramaModule, "") }
