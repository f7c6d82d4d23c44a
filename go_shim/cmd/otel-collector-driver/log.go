//go:build collector

package main

import (
	"fmt"
	"sync"

	"go.uber.org/zap/zapcore"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// notices is a sink of the Collector's log that passes lines from level info on to an instance: what comes before `ready`,
// the first event of an instance, is passed on after it.
type notices struct {
	out *driver.Instance

	mu    sync.Mutex
	ready bool
	early []string
	last  string // the last error
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
	n.mu.Lock()
	defer n.mu.Unlock()
	if entry.Level >= zapcore.ErrorLevel {
		n.last = line
	}
	if !n.ready {
		n.early = append(n.early, line)
		return nil
	}
	n.out.Notice("%s", line)
	return nil
}

func (n *notices) Sync() error { return nil }

// begin reports `ready` and what was logged before.
func (n *notices) begin(settings map[string]string, inside string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.out.Ready(settings)
	n.out.Notice("collector %s with %s", version(), inside)
	for _, line := range n.early {
		n.out.Notice("%s", line)
	}
	n.ready, n.early = true, nil
}
