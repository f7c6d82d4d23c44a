//go:build benthos

package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// active is what Benthos logs once a component is connected.
const active = " type "

// notices is a handler of Benthos's log that passes lines from level info on to an instance.
type notices struct {
	driver.EarlyLog
	connected chan struct{} // closed once the Kafka component is connected
	once      sync.Once
}

func (n *notices) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (n *notices) Handle(_ context.Context, record slog.Record) error {
	line := "log: " + strings.ToLower(record.Level.String()) + ": " + strings.TrimSpace(record.Message)
	if strings.HasSuffix(line, active+chosen.name+" is now active") {
		n.once.Do(func() { close(n.connected) })
	}
	n.Line(line, record.Level >= slog.LevelError)
	return nil
}

func (n *notices) WithAttrs([]slog.Attr) slog.Handler { return n }

func (n *notices) WithGroup(string) slog.Handler { return n }
