package front

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// Feed writes one record each interval to each partition of a topic, straight to the state machine, until Stop. It is
// not a client: it asks for the leader each time, so topics may be recreated under it. One beat is for all partitions,
// since each time that a process wakes costs more than what it then writes.
type Feed struct {
	beat       *beat
	topic      string
	partitions []int32
	bystander  int32 // written to each so long at the most often
	least      time.Duration
	beats      atomic.Int64 // of which the bystander is written to at one
	done       sync.WaitGroup
}

// NewFeed starts feeding.
func (f *Front) NewFeed(req *clusterpb.FeedRequest) (*Feed, error) {
	interval := intervalOf(req)
	beat, err := newBeat(interval)
	if err != nil {
		return nil, err
	}
	feed := &Feed{
		beat: beat, topic: req.Topic, partitions: req.Partitions,
		bystander: req.Bystander, least: time.Duration(req.BystanderMs) * time.Millisecond,
	}
	feed.beats.Store(feed.share(interval))
	feed.done.Go(func() { f.feed(feed) })
	return feed, nil
}

// Each changes the interval; the next record is written after it.
func (feed *Feed) Each(req *clusterpb.FeedRequest) error {
	feed.beats.Store(feed.share(intervalOf(req)))
	return feed.beat.each(intervalOf(req))
}

func intervalOf(req *clusterpb.FeedRequest) time.Duration {
	return time.Duration(req.IntervalMs) * time.Millisecond
}

// share is how many beats there are for one at which the bystander is written to.
func (feed *Feed) share(interval time.Duration) int64 {
	return max(1, int64((feed.least+interval-1)/interval))
}

// due reports whether a partition is written to at this beat.
func (feed *Feed) due(partition int32, number int64) bool {
	return partition != feed.bystander || number%feed.beats.Load() == 0
}

// Stop returns when the last record is written.
func (feed *Feed) Stop() {
	feed.beat.stop()
	feed.done.Wait()
}

// feed counts a sequence number only once its record is written; a beat that fails is not made up for.
func (f *Front) feed(feed *Feed) {
	sequences := map[int32]int64{}
	number := int64(0)
	for going := true; going; going = feed.beat.wait() > 0 {
		values := map[int32][]byte{}
		for _, partition := range feed.partitions {
			if feed.due(partition, number) && f.writable(feed.topic, partition) {
				values[partition] = fmt.Appendf(nil, "feed %d %d %d", partition, sequences[partition], events.Now())
			}
		}
		for _, partition := range f.backend.Write(feed.topic, values) {
			sequences[partition]++
		}
		number++
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
