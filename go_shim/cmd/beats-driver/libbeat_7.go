//go:build beats && !agentlibs

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/common"
	"github.com/elastic/beats/v7/libbeat/common/acker"
	"github.com/elastic/beats/v7/libbeat/logp"
	"github.com/elastic/beats/v7/libbeat/monitoring"
)

// The packages of Beats 7: all are libbeat's own.
type (
	config    = common.Config
	namespace = common.ConfigNamespace
	fields    = common.MapStr
	registry  = monitoring.Registry
	logConfig = logp.Config
)

var (
	newConfig   = common.NewConfigFrom
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
	return libbeat.ClientConfig{PublishMode: libbeat.GuaranteedSend, ACKHandler: acker.RawCounting(acknowledged)}
}
