//go:build beats && loggers

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/publisher/pipeline"
	"github.com/elastic/elastic-agent-libs/logp"
)

// logged returns what a pipeline is made of, with the process's logger, without which the output does not start
// (libbeat/outputs/kafka/kafka.go, makeKafka).
func logged(info libbeat.Info, metrics *registry) (libbeat.Info, pipeline.Monitors) {
	info.Logger = logp.L()
	return info, pipeline.Monitors{Metrics: metrics, Logger: info.Logger}
}
