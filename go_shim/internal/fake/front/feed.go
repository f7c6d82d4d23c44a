package front

import (
	"fmt"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// Feed writes one record each interval to each partition of a topic, straight to the state machine, until Stop. It is
// not a client: it asks for the leader each time, so topics may be recreated under it. One beat is for all partitions,
// since each time that a process wakes costs more than what it then writes.
type Feed struct {
	beat *beat
	done sync.WaitGroup
}

// NewFeed starts feeding.
func (f *Front) NewFeed(topic string, partitions []int32, interval time.Duration) (*Feed, error) {
	beat, err := newBeat(interval)
	if err != nil {
		return nil, err
	}
	feed := &Feed{beat: beat}
	feed.done.Go(func() { f.feed(beat, topic, partitions) })
	return feed, nil
}

// Each changes the interval; the next record is written after it.
func (feed *Feed) Each(interval time.Duration) error { return feed.beat.each(interval) }

// Stop returns when the last record is written.
func (feed *Feed) Stop() {
	feed.beat.stop()
	feed.done.Wait()
}

// feed counts a sequence number only once its record is written; a beat that fails is not made up for.
func (f *Front) feed(beat *beat, topic string, partitions []int32) {
	sequences := map[int32]int64{}
	for going := true; going; going = beat.wait() {
		values := map[int32][]byte{}
		for _, partition := range partitions {
			if f.writable(topic, partition) {
				values[partition] = fmt.Appendf(nil, "feed %d %d %d", partition, sequences[partition], events.Now())
			}
		}
		for _, partition := range f.backend.Write(topic, values) {
			sequences[partition]++
		}
	}
}

// writable reports whether a partition has a leader that answers.
func (f *Front) writable(topic string, partition int32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.newest().Partition(topic, partition)
	return ok && p.Leader > 0 && f.states[p.Leader] == clusterpb.BrokerState_UP
}

// CoordinatorOf returns the broker that coordinates a key now, -1 for nobody.
func (f *Front) CoordinatorOf(kind int8, name string) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coordinator(f.newest(), topology.Key{Type: kind, Name: name})
}
