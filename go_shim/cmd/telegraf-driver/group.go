package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// group is a subscribed member. Telegraf writes records to its standard output; it reports no assignments, commits or
// offsets.
type group struct{ *child }

func openGroup(c *configuration, _ *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	folder, err := os.MkdirTemp("", "telegraf-")
	if err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	agent, err := start(c, out, folder, func(line string) {
		<-ready
		receive(out, line)
	})
	if err != nil {
		return nil, err
	}
	if err := agent.until(agent.read, c); err != nil {
		close(ready)
		agent.stop()
		return nil, err
	}
	agent.serve(groupSettings(c))
	close(ready)
	return &group{agent}, nil
}

// receive reports the record of a line; lines without one are ignored.
func receive(out *driver.Instance, line string) {
	if value, partition, found := valueOf(line); found {
		out.Event(driverpb.Kind_RECEIVED, driver.Partition(partition), func(e *driverpb.Event) { e.Value = value })
	}
}

// valueOf reads `kafka_consumer value="<instance> <partition> <sequence> <clock>" <time>`.
func valueOf(line string) (string, int32, bool) {
	_, rest, found := strings.Cut(line, `value="`)
	value, _, closed := strings.Cut(rest, `"`)
	words := strings.Fields(value)
	if !found || !closed || len(words) != 4 {
		return "", 0, false
	}
	partition, err := strconv.ParseInt(words[1], 10, 32)
	if err != nil {
		return "", 0, false
	}
	return value, int32(partition), true
}

func (g *group) Close() { g.stop() }
