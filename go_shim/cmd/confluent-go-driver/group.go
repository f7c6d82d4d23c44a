//go:build confluent

package main

import (
	"slices"
	"sync"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// commitInterval is that of the driver of librdkafka.
const commitInterval = time.Second

// group is a subscribed member that commits the offsets of delivered records. A commit blocks until it is answered, so it
// has a goroutine.
type group struct {
	*reader
	topic     string
	byLibrary bool
	commits   sync.WaitGroup

	mu   sync.Mutex
	next map[int32]kafka.Offset // after the last delivered record
	done map[int32]kafka.Offset // committed
}

func openGroup(set config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	r, err := newReader(set, start, out)
	if err != nil {
		return nil, err
	}
	g := &group{
		reader: r, topic: start.Topic, byLibrary: start.Profile == autocommit,
		next: map[int32]kafka.Offset{}, done: map[int32]kafka.Offset{},
	}
	if err := r.library.Subscribe(start.Topic, g.rebalanced); err != nil {
		r.close()
		return nil, err
	}
	g.poll(g.delivered, g.committed)
	if !g.byLibrary {
		g.commits.Go(func() {
			driver.Tick(g.closing, driver.Fixed(commitInterval), func() { g.commit() })
		})
	}
	return g, nil
}

// rebalanced is called by a poll, also by that of closing; the wrapper assigns afterwards.
func (g *group) rebalanced(library *kafka.Consumer, event kafka.Event) error {
	switch item := event.(type) {
	case kafka.AssignedPartitions:
		g.changed(driverpb.Kind_ASSIGNED, partitionsOf(item.Partitions))
	case kafka.RevokedPartitions:
		// While closing, a lost coordinator would delay the close.
		if !library.AssignmentLost() && !g.isClosing() && !g.byLibrary {
			g.commit()
		}
		partitions := partitionsOf(item.Partitions)
		g.mu.Lock()
		for _, partition := range partitions {
			delete(g.next, partition)
			delete(g.done, partition)
		}
		g.mu.Unlock()
		g.changed(driverpb.Kind_REVOKED, partitions)
	}
	return nil
}

func (g *group) changed(kind driverpb.Kind, partitions []int32) {
	if len(partitions) == 0 && kind == driverpb.Kind_REVOKED {
		return
	}
	g.out.Event(kind, func(e *driverpb.Event) { e.Partitions = partitions })
}

func partitionsOf(places []kafka.TopicPartition) []int32 {
	found := []int32{}
	for _, place := range places {
		found = append(found, place.Partition)
	}
	slices.Sort(found)
	return found
}

func (g *group) delivered(place kafka.TopicPartition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next[place.Partition] = place.Offset + 1
}

// commit commits what was delivered; an offset is committed again until its success was reported.
func (g *group) commit() {
	var due []kafka.TopicPartition
	g.mu.Lock()
	for partition, offset := range g.next {
		if done, known := g.done[partition]; !known || done != offset {
			due = append(due, kafka.TopicPartition{Topic: &g.topic, Partition: partition, Offset: offset})
		}
	}
	g.mu.Unlock()
	if len(due) > 0 {
		results, err := g.library.CommitOffsets(due)
		g.committed(kafka.OffsetsCommitted{Error: err, Offsets: results})
	}
}

// committed reports the result of a commit, also of one that the library made by itself: that comes as an event. Each
// partition may have its own error.
func (g *group) committed(event kafka.Event) {
	result, isCommit := event.(kafka.OffsetsCommitted)
	if !isCommit {
		return
	}
	if result.Error != nil {
		g.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Failed(describe(result.Error)))
		return
	}
	for _, place := range result.Offsets {
		if place.Error != nil {
			g.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Failed(describe(place.Error)))
			continue
		}
		if place.Offset < 0 {
			continue
		}
		g.mu.Lock()
		g.done[place.Partition] = place.Offset
		g.mu.Unlock()
		g.out.Event(driverpb.Kind_COMMITTED, driver.Partition(place.Partition), driver.Offset(int64(place.Offset)))
	}
}

func (g *group) Close() {
	g.stop()
	g.commits.Wait() // the consumer must not be closed while a call of it is open
	g.close()
}
