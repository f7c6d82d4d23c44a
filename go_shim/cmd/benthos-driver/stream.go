//go:build benthos

package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	_ "github.com/benthosdev/benthos/v4/public/components/io"
	_ "github.com/benthosdev/benthos/v4/public/components/kafka"
	_ "github.com/benthosdev/benthos/v4/public/components/pure"
	"github.com/benthosdev/benthos/v4/public/service"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
)

const (
	startLimit = 40 * time.Second
	// stopLimit is the time in which a stream ends by itself what is under way, as Benthos's shutdown_timeout.
	stopLimit = 20 * time.Second
)

// stream is a running stream.
type stream struct {
	out     *driver.Instance
	log     *notices
	running *service.Stream
	ended   chan struct{}
	failure error // once it has ended
	closing atomic.Bool
}

// newBuilder returns a builder of a stream whose log is an instance's notices.
func newBuilder(out *driver.Instance) (*service.StreamBuilder, *notices) {
	log := &notices{EarlyLog: driver.EarlyLog{Out: out}, connected: make(chan struct{})}
	builder := service.NewStreamBuilder()
	builder.SetLogger(slog.New(log))
	return builder, log
}

// run runs a stream and reports `ready` once its Kafka component is connected.
func run(builder *service.StreamBuilder, log *notices, set settings, role string) (*stream, error) {
	built, err := builder.Build()
	if err != nil {
		return nil, refused(set, err)
	}
	s := &stream{out: log.Out, log: log, running: built, ended: make(chan struct{})}
	go func() {
		s.failure = built.Run(context.Background())
		close(s.ended)
	}()
	select {
	case <-log.connected:
	case <-s.ended:
		return nil, refused(set, fmt.Errorf("the stream does not start: %w; %s", s.failure, log.LastError()))
	case <-time.After(startLimit):
		_ = built.StopWithin(time.Second)
		return nil, refused(set, fmt.Errorf("the stream has not started within %v: %s", startLimit, log.LastError()))
	}
	log.Begin(set.effective(role), fmt.Sprintf("benthos %s with %s %s", version(), chosen.library, driver.LinkedVersion(chosen.library, "")))
	go s.watch()
	return s, nil
}

// watch reports a stream that ends by itself.
func (s *stream) watch() {
	<-s.ended
	if !s.closing.Load() {
		s.out.Fatal(driver.Describe(fmt.Errorf("the stream ended by itself: %w", s.failure)), "%s", s.log.LastError())
	}
}

// stop ends the stream as Benthos does at a signal.
func (s *stream) stop() {
	s.closing.Store(true)
	if err := s.running.StopWithin(stopLimit); err != nil {
		s.out.Notice("the stream did not end by itself: %v", err)
	}
	<-s.ended
}

// refused returns whether a stream was rejected because of one of its settings.
func refused(set settings, err error) error {
	for key := range set {
		words := strings.FieldsFunc(key[strings.LastIndex(key, ".")+1:], func(r rune) bool { return r == '_' })
		if strings.Contains(strings.ToLower(err.Error()), strings.ToLower(words[0])) {
			return driver.Refuse("Benthos rejects %s: %v", key, err)
		}
	}
	return err
}

// rejected returns a section's error: it is one of its settings, as all else in it is valid.
func rejected(set settings, err error) error {
	if len(set) == 0 {
		return err
	}
	return driver.Refuse("Benthos rejects %s: %v", strings.Join(slices.Sorted(maps.Keys(set)), ", "), err)
}
