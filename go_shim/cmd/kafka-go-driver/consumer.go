package main

import (
	"context"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// reader fetches messages from one Reader of the library and reports them.
type reader struct {
	library   *kafka.Reader
	out       *driver.Instance
	partition int32 // -1 for a group
	running   context.Context
	stop      context.CancelFunc
	fetcher   sync.WaitGroup
}

func newReader(c *config, out *driver.Instance, partition int32, log kafka.Logger) (*reader, error) {
	given := *c.reader
	given.Logger = log
	given.ErrorLogger = kafka.LoggerFunc(func(format string, args ...any) { out.Notice(format, args...) })
	if partition >= 0 {
		given.Partition = int(partition)
	}
	if err := given.Validate(); err != nil {
		return nil, driver.Refuse("kafka-go %s rejects this configuration: %v", version(), err)
	}
	running, stop := context.WithCancel(context.Background())
	return &reader{library: kafka.NewReader(given), out: out, partition: partition, running: running, stop: stop}, nil
}

// fetch runs until the reader is closed; `each` is called for every message after it was reported.
func (r *reader) fetch(each func(kafka.Message)) { r.read(r.library.FetchMessage, each) }

// read is fetch with another call of the library: ReadMessage commits by itself.
func (r *reader) read(next func(context.Context) (kafka.Message, error), each func(kafka.Message)) {
	r.fetcher.Add(1)
	go func() {
		defer r.fetcher.Done()
		for r.running.Err() == nil {
			message, err := next(r.running)
			switch {
			case r.running.Err() != nil:
			case err != nil:
				r.out.Event(driverpb.Kind_RECEIVE_ERROR, driver.Partition(r.partition), driver.Failed(describe(err)))
			default:
				r.out.Received(int32(message.Partition), message.Offset, message.Value)
				each(message)
			}
		}
	}()
}

func (r *reader) Close() {
	r.stop()
	r.fetcher.Wait()
	if err := r.library.Close(); err != nil {
		r.out.Notice("close: %v", err)
	}
}

// consumer reads every partition from its beginning, with a Reader per partition: a Reader reads one partition only.
type consumer struct{ parts []*reader }

func openConsumer(c *config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	all := &consumer{}
	for _, partition := range start.Partitions {
		part, err := newReader(c, out, partition, nil)
		if err != nil {
			all.Close()
			return nil, err
		}
		all.parts = append(all.parts, part)
	}
	if len(all.parts) == 0 {
		return nil, driver.Refuse("a consumer needs partitions")
	}
	out.Ready(readerSettings(all.parts[0].library))
	for _, part := range all.parts {
		part.fetch(func(kafka.Message) {})
	}
	return all, nil
}

func (c *consumer) Close() {
	var closing sync.WaitGroup
	for _, part := range c.parts {
		closing.Go(part.Close)
	}
	closing.Wait()
}
