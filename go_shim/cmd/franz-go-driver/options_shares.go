//go:build shares

package main

import (
	"context"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

func init() { roles = append(roles, driver.Role[[]kgo.Opt]{Name: "share", Open: openShare}) }

// longestFlush is the longest wait of the application for its acceptances.
const longestFlush = time.Second

// sharer is a member of a share group (KIP-932) that accepts each record. The library says for partitions, not for records,
// what became of acceptances. So those of a partition are confirmed once all were flushed and none of them was refused. The
// application takes no more records while it flushes, since FlushAcks waits for what is accepted meanwhile, too.
type sharer struct {
	*reader
	out      *driver.Instance
	confirms sync.WaitGroup
	flushing sync.Mutex
	mu       sync.Mutex
	accepted map[int32][]int64 // offsets without a result, by partition
}

func openShare(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	s := &sharer{out: out, accepted: map[int32][]int64{}}
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
	s.flushing.Lock()
	defer s.flushing.Unlock()
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
		delete(s.accepted, result.Partition) // it is unknown which of them
		s.mu.Unlock()
		s.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Partition(result.Partition), driver.Failed(describe(result.Err)))
	}
}

// confirm reports the acceptances that a flush has completed; those of a flush that takes too long wait for the next one.
func (s *sharer) confirm() {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	limited, done := context.WithTimeout(s.running, longestFlush)
	defer done()
	if s.library.FlushAcks(limited) != nil {
		return
	}
	s.mu.Lock()
	accepted := s.accepted
	s.accepted = map[int32][]int64{}
	s.mu.Unlock()
	for partition, offsets := range accepted {
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
