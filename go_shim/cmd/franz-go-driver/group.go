package main

import (
	"context"
	"slices"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// group is a subscribed member that commits the offsets of delivered records.
type group struct {
	*reader
	topic    string
	commits  sync.WaitGroup
	mu       sync.Mutex
	assigned map[int32]bool
	due      map[int32]kgo.EpochOffset // delivered and not committed
}

func openGroup(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	g := &group{topic: start.Topic, assigned: map[int32]bool{}, due: map[int32]kgo.EpochOffset{}}
	lost := func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { g.changed(out, parts, false) }
	commits := kgo.GroupOpt(kgo.DisableAutoCommit())
	if start.Profile == autocommit {
		commits = kgo.AutoCommitCallback(g.reportAutoCommit)
	}
	r, err := newReader(options, start, out,
		kgo.ConsumerGroup(start.Group), kgo.ConsumeTopics(start.Topic), commits,
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
			g.changed(out, parts, true)
		}),
		kgo.OnPartitionsRevoked(lost), kgo.OnPartitionsLost(lost))
	if err != nil {
		return nil, err
	}
	g.reader = r
	if start.Profile == autocommit {
		g.poll(func(*kgo.Record) {})
		return g, nil
	}
	g.poll(g.delivered)
	g.commits.Go(func() { driver.Tick(g.running.Done(), driver.Fixed(driver.CommitInterval), g.commit) })
	return g, nil
}

func (g *group) changed(out *driver.Instance, parts map[string][]int32, gained bool) {
	partitions := slices.Sorted(slices.Values(parts[g.topic]))
	if len(partitions) == 0 { // the library also calls for empty changes
		return
	}
	g.mu.Lock()
	for _, partition := range partitions {
		g.assigned[partition] = gained
		if !gained {
			delete(g.due, partition)
		}
	}
	g.mu.Unlock()
	kind := driverpb.Kind_REVOKED
	if gained {
		kind = driverpb.Kind_ASSIGNED
	}
	out.Event(kind, func(e *driverpb.Event) { e.Partitions = partitions })
}

func (g *group) delivered(record *kgo.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.assigned[record.Partition] {
		g.due[record.Partition] = kgo.EpochOffset{Epoch: record.LeaderEpoch, Offset: record.Offset + 1}
	}
}

func (g *group) commit() {
	g.mu.Lock()
	due := g.due
	g.due = map[int32]kgo.EpochOffset{}
	g.mu.Unlock()
	if len(due) > 0 {
		g.library.CommitOffsetsSync(g.running, map[string]map[int32]kgo.EpochOffset{g.topic: due}, g.reportCommit(due))
	}
}

// reportCommit reports the result of a commit for every partition.
func (g *group) reportCommit(
	due map[int32]kgo.EpochOffset,
) func(*kgo.Client, *kmsg.OffsetCommitRequest, *kmsg.OffsetCommitResponse, error) {
	return func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
		if err != nil {
			if g.running.Err() == nil {
				g.out.Event(driverpb.Kind_COMMIT_ERROR, driver.Failed(describe(err)))
			}
			return
		}
		for _, topic := range response.Topics {
			for _, part := range topic.Partitions {
				g.reportPartition(part.Partition, due[part.Partition].Offset, kerr.ErrorForCode(part.ErrorCode))
			}
		}
	}
}

// reportAutoCommit reports the result of a commit of the library.
func (g *group) reportAutoCommit(
	client *kgo.Client, request *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error,
) {
	due := map[int32]kgo.EpochOffset{}
	for _, topic := range request.Topics {
		for _, part := range topic.Partitions {
			due[part.Partition] = kgo.EpochOffset{Offset: part.Offset}
		}
	}
	g.reportCommit(due)(client, request, response, err)
}

func (g *group) reportPartition(partition int32, offset int64, err error) {
	where := driver.Partition(partition)
	if err != nil {
		g.out.Event(driverpb.Kind_COMMIT_ERROR, where, driver.Failed(describe(err)))
		return
	}
	g.out.Event(driverpb.Kind_COMMITTED, where, driver.Offset(offset))
}

func (g *group) Close() {
	g.stop()
	g.commits.Wait()
	g.reader.Close()
}
