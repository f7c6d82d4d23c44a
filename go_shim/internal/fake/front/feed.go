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

// Feed writes one record, or one batch, per interval to every partition of a topic, directly to the state machine, until
// Stop. It is not a client: it looks up the leader every time, so topics may be recreated under it. One ticker serves
// all partitions, since a wake-up of the process costs more than the writes.
type Feed struct {
	ticker            *ticker
	topic             string
	partitions        []int32
	batch             int64 // records per interval and partition
	bystander         int32 // written to at most once per bystanderInterval
	bystanderInterval time.Duration
	bystanderTicks    atomic.Int64 // ticks per write to the bystander
	done              sync.WaitGroup
}

// NewFeed starts a feed.
func (f *Front) NewFeed(req *clusterpb.FeedRequest) (*Feed, error) {
	interval := intervalOf(req)
	ticks, err := newTicker(interval)
	if err != nil {
		return nil, err
	}
	feed := &Feed{
		ticker: ticks, topic: req.Topic, partitions: req.Partitions, batch: int64(max(req.Batch, 1)),
		bystander: req.Bystander, bystanderInterval: time.Duration(req.BystanderMs) * time.Millisecond,
	}
	feed.bystanderTicks.Store(feed.bystanderShare(interval))
	feed.done.Go(func() { f.feed(feed) })
	return feed, nil
}

// SetInterval changes the interval; the next record is written after it.
func (feed *Feed) SetInterval(req *clusterpb.FeedRequest) error {
	feed.bystanderTicks.Store(feed.bystanderShare(intervalOf(req)))
	return feed.ticker.setInterval(intervalOf(req))
}

func intervalOf(req *clusterpb.FeedRequest) time.Duration {
	return time.Duration(req.IntervalMs) * time.Millisecond
}

// bystanderShare returns the number of ticks per write to the bystander.
func (feed *Feed) bystanderShare(interval time.Duration) int64 {
	return max(1, int64((feed.bystanderInterval+interval-1)/interval))
}

// due reports whether a partition is written to at this tick.
func (feed *Feed) due(partition int32, number int64) bool {
	return partition != feed.bystander || number%feed.bystanderTicks.Load() == 0
}

// Stop returns after the last write.
func (feed *Feed) Stop() {
	feed.ticker.stop()
	feed.done.Wait()
}

// feed raises a sequence number only once its records are written; a failed tick is not repeated.
func (f *Front) feed(feed *Feed) {
	sequences := map[int32]int64{}
	number := int64(0)
	for running := true; running; running = feed.ticker.wait() > 0 {
		values := map[int32][][]byte{}
		for _, partition := range feed.partitions {
			if feed.due(partition, number) && f.writable(feed.topic, partition) {
				for place := range feed.batch {
					value := fmt.Appendf(nil, "feed %d %d %d", partition, sequences[partition]+place, events.Now())
					values[partition] = append(values[partition], value)
				}
			}
		}
		for _, partition := range f.backend.Write(feed.topic, values) {
			sequences[partition] += feed.batch
		}
		number++
	}
}

// writable reports whether a partition has a leader that is up.
func (f *Front) writable(topic string, partition int32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.newest().Partition(topic, partition)
	return ok && p.Leader > 0 && f.states[p.Leader] == clusterpb.BrokerState_UP
}

// CoordinatorOf returns the present coordinator of a key; -1 for none.
func (f *Front) CoordinatorOf(kind int8, name string) int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coordinator(f.newest(), topology.Key{Type: kind, Name: name})
}
