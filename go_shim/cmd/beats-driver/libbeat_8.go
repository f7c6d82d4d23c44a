//go:build beats && agentlibs

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/common/acker"
	elastic "github.com/elastic/elastic-agent-libs/config"
	"github.com/elastic/elastic-agent-libs/logp"
	"github.com/elastic/elastic-agent-libs/mapstr"
	"github.com/elastic/elastic-agent-libs/monitoring"
	"go.uber.org/zap/zapcore"
)

// The packages of Beats 8: configuration, log and metrics are elastic-agent-libs'.
type (
	config    = elastic.C
	namespace = elastic.Namespace
	fields    = mapstr.M
	registry  = monitoring.Registry
)

var (
	newConfig   = elastic.NewConfigFrom
	newRegistry = monitoring.NewRegistry
)

func counters(metrics *registry) map[string]int64 {
	return monitoring.CollectFlatSnapshot(metrics, monitoring.Full, false).Ints
}

// logTo sends Beats' log to a sink. Without a place of its own the log would be a file.
func logTo(sink zapcore.Core) error {
	return logp.ConfigureWithOutputs(logp.Config{Level: logp.CriticalLevel, ToStderr: true}, sink)
}

// guaranteed connects as Filebeat connects its inputs: an event is sent until Kafka has it.
func guaranteed(acknowledged func(int)) libbeat.ClientConfig {
	return libbeat.ClientConfig{PublishMode: libbeat.GuaranteedSend, EventListener: acker.RawCounting(acknowledged)}
}
