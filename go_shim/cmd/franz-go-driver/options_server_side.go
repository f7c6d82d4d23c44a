//go:build server_side

package main

import (
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The library uses the new group protocol if its balancer is sticky, as by default, or range, and the brokers serve
// ConsumerGroupHeartbeat from version 1 on; otherwise it is silently a classic member (consumer_group_848.go, should848).
func init() {
	options["ServerSideBalancer"] = flag(kgo.ServerSideBalancer)
	profiles[consumerProtocol] = driver.Profile{Set: map[string]string{"ServerSideBalancer": "true"}}
}
