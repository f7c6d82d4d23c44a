//go:build collector && telemetry_factory

package main

import (
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func addTelemetry(factories *otelcol.Factories) { factories.Telemetry = otelconftelemetry.NewFactory() }
