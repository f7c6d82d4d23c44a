//go:build beats && !agentlibs

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/common"
	"github.com/elastic/beats/v7/libbeat/common/acker"
	"github.com/elastic/beats/v7/libbeat/logp"
	"github.com/elastic/beats/v7/libbeat/monitoring"
	"go.uber.org/zap/zapcore"
)

// The packages of Beats 7: all are libbeat's own.
type (
	config    = common.Config
	namespace = common.ConfigNamespace
	fields    = common.MapStr
	registry  = monitoring.Registry
)

var (
	newConfig   = common.NewConfigFrom
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
	return libbeat.ClientConfig{PublishMode: libbeat.GuaranteedSend, ACKHandler: acker.RawCounting(acknowledged)}
}
