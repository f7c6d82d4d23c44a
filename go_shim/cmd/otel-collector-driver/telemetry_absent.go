//go:build collector && !telemetry_factory

package main

import "go.opentelemetry.io/collector/otelcol"

// addTelemetry does nothing: these versions have one telemetry of their own.
func addTelemetry(*otelcol.Factories) {}
