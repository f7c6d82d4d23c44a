//go:build beats

package main

import (
	"sync/atomic"

	"go.uber.org/zap/zapcore"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

// notices is a sink of Beats' log that passes every line from level info on to an instance, once that is ready. A process
// has one instance.
type notices struct {
	out   *driver.Instance
	ready atomic.Bool
}

func listen(out *driver.Instance) (*notices, error) {
	log := &notices{out: out}
	// Without a place of its own the log would be a file.
	return log, configured(logConfig{Level: lastLevel, ToStderr: true}, log)
}

func (n *notices) Enabled(level zapcore.Level) bool {
	return level >= zapcore.InfoLevel && n.ready.Load()
}

func (n *notices) With([]zapcore.Field) zapcore.Core { return n }

func (n *notices) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if n.Enabled(entry.Level) {
		return checked.AddCore(entry, n)
	}
	return checked
}

func (n *notices) Write(entry zapcore.Entry, _ []zapcore.Field) error {
	n.out.Notice("log: %s", entry.Message) // no delay: two lines come with each batch that is given back
	return nil
}

func (n *notices) Sync() error { return nil }
