//go:build collector

package main

import (
	"fmt"

	"go.uber.org/zap/zapcore"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// notices is a sink of the Collector's log that passes lines from level info on to an instance.
type notices struct {
	driver.EarlyLog
}

func (n *notices) Enabled(level zapcore.Level) bool { return level >= zapcore.InfoLevel }

func (n *notices) With([]zapcore.Field) zapcore.Core { return n }

func (n *notices) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if n.Enabled(entry.Level) {
		return checked.AddCore(entry, n)
	}
	return checked
}

func (n *notices) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	line := fmt.Sprintf("log: %s: %s", entry.Level, entry.Message)
	for _, field := range fields {
		if failure, is := field.Interface.(error); is && field.Type == zapcore.ErrorType {
			line += ": " + failure.Error()
		}
	}
	n.Line(line, entry.Level >= zapcore.ErrorLevel)
	return nil
}

func (n *notices) Sync() error { return nil }
