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
// not a client: it asks for the leader each time, so topics may be recreated under it.
type Feed struct {
	stop chan struct{}
	done sync.WaitGroup
}

// NewFeed starts feeding.
func (f *Front) NewFeed(topic string, partitions []int32, interval time.Duration) *Feed {
	feed := &Feed{stop: make(chan struct{})}
	for _, partition := range partitions {
		feed.done.Go(func() { f.feed(feed.stop, topic, partition, interval) })
	}
	return feed
}

// Stop returns when the last record is written.
func (feed *Feed) Stop() {
	close(feed.stop)
	feed.done.Wait()
}

// feed counts a sequence number only once its record is written; a beat that fails is not made up for.
func (f *Front) feed(stop <-chan struct{}, topic string, partition int32, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for sequence := int64(0); ; {
		if f.writable(topic, partition) {
			value := fmt.Sprintf("feed %d %d %d", partition, sequence, events.Now())
			if f.backend.Write(topic, partition, []byte(value)) == nil {
				sequence++
			}
		}
		select {
		case <-ticker.C:
		case <-stop:
			return
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
