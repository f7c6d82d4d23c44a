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

// notices is a handler of Benthos's log that passes lines from level info on to an instance: what comes before `ready`,
// the first event of an instance, is passed on after it.
type notices struct {
	out       *driver.Instance
	connected chan struct{} // closed once the Kafka component is connected

	mu    sync.Mutex
	ready bool
	early []string
	last  string // the last error
	once  sync.Once
}

func (n *notices) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (n *notices) Handle(_ context.Context, record slog.Record) error {
	line := "log: " + strings.ToLower(record.Level.String()) + ": " + strings.TrimSpace(record.Message)
	if strings.HasSuffix(line, active+chosen.name+" is now active") {
		n.once.Do(func() { close(n.connected) })
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if record.Level >= slog.LevelError {
		n.last = line
	}
	if !n.ready {
		n.early = append(n.early, line)
		return nil
	}
	n.out.Notice("%s", line)
	return nil
}

func (n *notices) WithAttrs([]slog.Attr) slog.Handler { return n }

func (n *notices) WithGroup(string) slog.Handler { return n }

// begin reports `ready` and what was logged before.
func (n *notices) begin(settings map[string]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.out.Ready(settings)
	n.out.Notice("benthos %s with %s %s", version(), chosen.library, driver.LinkedVersion(chosen.library, ""))
	for _, line := range n.early {
		n.out.Notice("%s", line)
	}
	n.ready, n.early = true, nil
}

func (n *notices) lastError() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}
