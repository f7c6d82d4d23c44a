//go:build beats && !loggers

package main

import (
	libbeat "github.com/elastic/beats/v7/libbeat/beat"
	"github.com/elastic/beats/v7/libbeat/publisher/pipeline"
)

// logged returns what a pipeline is made of: up to early 2025 its parts take the process's logger by themselves.
func logged(info libbeat.Info, metrics *registry) (libbeat.Info, pipeline.Monitors) {
	return info, pipeline.Monitors{Metrics: metrics}
}
