package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// group is a subscribed member that commits the offsets of delivered records.
type group struct {
	*reader
	commits  sync.WaitGroup
	mu       sync.Mutex
	assigned []int32
	due      map[int32]kafka.Message // the last delivered message per partition, not committed
}

func openGroup(c *config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	g := &group{due: map[int32]kafka.Message{}}
	r, err := newReader(c, out, -1, listener{g, out})
	if err != nil {
		return nil, err
	}
	g.reader = r
	out.Ready(readerSettings(r.library))
	if start.Profile == autocommit {
		g.read(g.library.ReadMessage, func(kafka.Message) {})
		return g, nil
	}
	g.fetch(func(message kafka.Message) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.due[int32(message.Partition)] = message
	})
	g.commits.Go(func() { driver.Tick(g.running.Done(), driver.Fixed(driver.CommitInterval), g.commit) })
	return g, nil
}

// commit waits for the library's result: without an interval the library commits at once.
func (g *group) commit() {
	g.mu.Lock()
	due := g.due
	g.due = map[int32]kafka.Message{}
	g.mu.Unlock()
	if len(due) == 0 {
		return
	}
	err := g.library.CommitMessages(g.running, slices.Collect(maps.Values(due))...)
	if g.running.Err() != nil {
		return
	}
	if err != nil {
		g.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Failed(describe(err)))
		return
	}
	for partition, message := range due {
		g.out.Event(driverpb.Kind_COMMITTED, driver.Partition(partition), driver.Offset(message.Offset+1))
	}
}

func (g *group) Close() {
	g.stop()
	g.commits.Wait()
	g.reader.Close()
}

// listener reads assignments from the Reader's log, the only place where the library reports them.
type listener struct {
	group *group
	out   *driver.Instance
}

func (l listener) Printf(format string, args ...any) {
	switch {
	case strings.HasPrefix(format, "subscribed to") && len(args) == 1:
		l.changed(driverpb.Kind_ASSIGNED, partitionsOf(args[0]))
	case strings.HasPrefix(format, "stopped commit for group"): // end of a generation
		l.group.mu.Lock()
		assigned := l.group.assigned
		l.group.mu.Unlock()
		l.changed(driverpb.Kind_REVOKED, assigned)
	}
}

func (l listener) changed(kind driverpb.Kind, partitions []int32) {
	if len(partitions) == 0 {
		return
	}
	l.group.mu.Lock()
	l.group.assigned = nil
	if kind == driverpb.Kind_ASSIGNED {
		l.group.assigned = partitions
	}
	l.group.due = map[int32]kafka.Message{}
	l.group.mu.Unlock()
	l.out.Event(kind, func(e *driverpb.Event) { e.Partitions = partitions })
}

// partitionsOf reads the keys of a map by partition, or by topic and partition in newer versions.
func partitionsOf(offsets any) []int32 {
	found := []int32{}
	given := reflect.ValueOf(offsets)
	if given.Kind() != reflect.Map {
		return nil
	}
	for _, key := range given.MapKeys() {
		if key.Kind() == reflect.Struct {
			key = key.FieldByName("partition")
		}
		if key.IsValid() && key.CanInt() {
			found = append(found, int32(key.Int()))
		}
	}
	slices.Sort(found)
	return found
}
