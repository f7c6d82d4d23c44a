//go:build shares

package main

import (
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

func init() { roles = append(roles, driver.Role[[]kgo.Opt]{Name: "share", Open: openShare}) }

// sharer is a member of a share group (KIP-932) that accepts each record. The library says for partitions, not for records,
// what became of acceptances. So those of a partition are confirmed once all were flushed and none of them was refused.
type sharer struct {
	*reader
	out      *driver.Instance
	confirms sync.WaitGroup
	mu       sync.Mutex
	accepted map[int32][]int64 // offsets without a result, by partition
	refused  map[int32]bool    // partitions with an error since the last flush
}

func openShare(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	s := &sharer{out: out, accepted: map[int32][]int64{}, refused: map[int32]bool{}}
	r, err := newReader(options, start, out,
		kgo.ShareGroup(start.Group), kgo.ConsumeTopics(start.Topic), kgo.ShareAckCallback(s.acknowledged))
	if err != nil {
		return nil, err
	}
	s.reader = r
	s.poll(s.delivered)
	s.confirms.Go(func() { driver.Tick(s.running.Done(), driver.Fixed(driver.CommitInterval), s.confirm) })
	return s, nil
}

func (s *sharer) delivered(record *kgo.Record) {
	s.mu.Lock()
	s.accepted[record.Partition] = append(s.accepted[record.Partition], record.Offset)
	s.mu.Unlock()
	record.Ack(kgo.AckAccept)
}

func (s *sharer) acknowledged(_ *kgo.Client, results kgo.ShareAckResults) {
	for _, result := range results {
		if result.Err == nil {
			continue
		}
		s.mu.Lock()
		s.refused[result.Partition] = true
		delete(s.accepted, result.Partition) // it is unknown which of them
		s.mu.Unlock()
		s.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Partition(result.Partition), driver.Failed(describe(result.Err)))
	}
}

// confirm reports the acceptances that a flush has completed.
func (s *sharer) confirm() {
	s.mu.Lock()
	accepted := s.accepted
	s.accepted = map[int32][]int64{}
	s.mu.Unlock()
	if s.library.FlushAcks(s.running) != nil { // only while the instance stops
		return
	}
	s.mu.Lock()
	refused := s.refused
	s.refused = map[int32]bool{}
	s.mu.Unlock()
	for partition, offsets := range accepted {
		if refused[partition] {
			continue
		}
		for _, offset := range offsets {
			s.out.Event(driverpb.Kind_COMMITTED, driver.Partition(partition), driver.Offset(offset))
		}
	}
}

func (s *sharer) Close() {
	s.stop()
	s.confirms.Wait()
	s.reader.Close()
}
