//go:build confluent

package main

import (
	"sync"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// pollMs is the longest wait of a poll; it returns early where there is an event.
const pollMs = 100

// logLines is the number of lines that may wait for the driver.
const logLines = 100

// connect builds a client of the wrapper with `build` and reports `ready`; Unsupported where librdkafka rejects the
// settings. No connection is needed yet.
func connect[T any](
	set config, start *driverpb.Start, out *driver.Instance, more kafka.ConfigMap, build func(*kafka.ConfigMap) (T, error),
) (T, error) {
	var none T
	theirs, ours := set.split()
	whole, err := effective(theirs)
	if err != nil {
		return none, driver.Refuse("%s %s: %v", family, version(), err)
	}
	given := kafka.ConfigMap{}
	for key, value := range theirs {
		given[key] = value
	}
	for key, value := range ours {
		given[key] = value
	}
	for key, value := range more {
		given[key] = value
	}
	client, err := build(&given)
	if err != nil {
		return none, driver.Refuse("%s %s rejects these settings together: %v", family, version(), err)
	}
	out.Ready(settings(whole, start.Role))
	return client, nil
}

// logs passes the library's log lines on as notices.
type logs struct {
	lines  chan kafka.LogEvent
	reader sync.WaitGroup
}

func newLogs(out *driver.Instance) *logs {
	l := &logs{lines: make(chan kafka.LogEvent, logLines)}
	l.reader.Go(func() {
		for line := range l.lines {
			out.Log("log: [%s] %s", line.Tag, line.Message)
		}
	})
	return l
}

func (l *logs) settings() kafka.ConfigMap {
	return kafka.ConfigMap{"go.logs.channel.enable": true, "go.logs.channel": l.lines}
}

// close ends the reader; the client is closed before, which writes no line then.
func (l *logs) close() {
	close(l.lines)
	l.reader.Wait()
}

// ofClient reports an error of the whole client, which is no error of an operation.
func ofClient(out *driver.Instance, failed kafka.Error) {
	out.Notice("%s: %s", nameOf(int(failed.Code())), failed.String())
}
