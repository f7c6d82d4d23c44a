package main

import (
	"context"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// reader polls a client and reports its records and errors.
type reader struct {
	library *kgo.Client
	out     *driver.Instance
	running context.Context
	stop    context.CancelFunc
	poller  sync.WaitGroup
}

func newReader(options []kgo.Opt, start *driverpb.Start, out *driver.Instance, more ...kgo.Opt) (*reader, error) {
	library, err := connect(options, start, out, more...)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	return &reader{library: library, out: out, running: running, stop: stop}, nil
}

// poll runs until the reader is closed; `each` is called for every record after it was reported.
func (r *reader) poll(each func(*kgo.Record)) {
	r.poller.Add(1)
	go func() {
		defer r.poller.Done()
		for r.running.Err() == nil {
			r.report(r.library.PollFetches(r.running), each)
		}
	}()
}

func (r *reader) report(fetches kgo.Fetches, each func(*kgo.Record)) {
	for _, failure := range fetches.Errors() {
		if r.running.Err() == nil {
			failed := driver.Failed(describe(failure.Err))
			r.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Partition(partitionOf(failure)), failed)
		}
	}
	fetches.EachRecord(func(record *kgo.Record) {
		r.out.Received(record.Partition, record.Offset, record.Value)
		each(record)
	})
}

// partitionOf returns the partition of a failed fetch; an error of the whole client has no topic.
func partitionOf(failure kgo.FetchError) int32 {
	if failure.Topic == "" {
		return -1
	}
	return failure.Partition
}

func (r *reader) Close() {
	r.stop()
	r.poller.Wait()
	r.library.Close()
}

// openConsumer reads every partition from its beginning, without a group.
func openConsumer(options []kgo.Opt, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	from := map[int32]kgo.Offset{}
	for _, partition := range start.Partitions {
		from[partition] = kgo.NewOffset().AtStart()
	}
	assigned := kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{start.Topic: from})
	r, err := newReader(options, start, out, assigned)
	if err != nil {
		return nil, err
	}
	r.poll(func(*kgo.Record) {})
	return r, nil
}
