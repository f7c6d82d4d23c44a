//go:build beats && agentlibs

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/common/acker"
	elastic "github.com/elastic/elastic-agent-libs/config"
	"github.com/elastic/elastic-agent-libs/logp"
	"github.com/elastic/elastic-agent-libs/mapstr"
	"github.com/elastic/elastic-agent-libs/monitoring"
)

// The packages of Beats 8: configuration, log and metrics are elastic-agent-libs'.
type (
	config    = elastic.C
	namespace = elastic.Namespace
	fields    = mapstr.M
	registry  = monitoring.Registry
	logConfig = logp.Config
)

var (
	newConfig   = elastic.NewConfigFrom
	newRegistry = monitoring.NewRegistry
	snapshot    = monitoring.CollectFlatSnapshot
	configured  = logp.ConfigureWithOutputs
)

const (
	allMetrics = monitoring.Full
	lastLevel  = logp.CriticalLevel
)

// guaranteed connects as Filebeat connects its inputs: an event is sent until Kafka has it.
func guaranteed(acknowledged func(int)) libbeat.ClientConfig {
	return libbeat.ClientConfig{PublishMode: libbeat.GuaranteedSend, EventListener: acker.RawCounting(acknowledged)}
}
