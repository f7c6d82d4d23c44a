package main

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
	"github.com/segmentio/kafka-go"
)

// balancer returns the library's own for keys, else byValue.
func balancer(start *driverpb.Start) kafka.Balancer {
	if driver.IsKeyed(start) {
		return &kafka.Hash{}
	}
	return kafka.BalancerFunc(byValue)
}

// byValue is the balancer. A Writer takes no partition from its caller, so the partition is read from the record's
// value.
func byValue(message kafka.Message, partitions ...int) int {
	words := strings.Fields(string(message.Value))
	if len(words) > 1 {
		if wanted, err := strconv.Atoi(words[1]); err == nil {
			return wanted
		}
	}
	return partitions[0]
}

// place is where a record was stored.
type place struct {
	partition int32
	offset    int64
}

// producer writes records to every partition, or with every key. Records that begin together are one call, which blocks
// until all are written.
type producer struct {
	library  *kafka.Writer
	out      *driver.Instance
	start    *driverpb.Start
	workload *driver.Workload
	calls    sync.WaitGroup

	mu     sync.Mutex
	places map[string]place // by value; only a callback of newer versions reports them
}

func openProducer(c *config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	p := &producer{out: out, start: start, places: map[string]place{}}
	if err := p.build(c); err != nil {
		return nil, err
	}
	if driver.IsKeyed(start) && !field(p.library, "Completion").IsValid() {
		return nil, driver.Refuse("kafka-go %s does not report the partition that it chose by the key", version())
	}
	out.Ready(writerSettings(c, p.library))
	p.workload = driver.StartBursts(out, start, func(partition int32, sequences []int64, ended func()) int {
		p.calls.Go(func() { p.write(partition, sequences, ended) })
		return len(sequences)
	})
	return p, nil
}

func (p *producer) build(c *config) error {
	errorLog := kafka.LoggerFunc(func(format string, args ...any) { p.out.Notice(format, args...) })
	if c.writer == nil {
		c.old.ErrorLogger = errorLog
		if err := c.old.Validate(); err != nil {
			return driver.Refuse("kafka-go %s rejects this configuration: %v", version(), err)
		}
		p.library = kafka.NewWriter(*c.old)
		return nil
	}
	p.library = c.writer
	field(p.library, "ErrorLogger").Set(reflect.ValueOf(errorLog))
	if callback := field(p.library, "Completion"); callback.IsValid() && number(p.library, "RequiredAcks") != 0 {
		callback.Set(reflect.ValueOf(p.completed))
	}
	return nil
}

// completed is called before WriteMessages returns.
func (p *producer) completed(messages []kafka.Message, err error) {
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, message := range messages {
		p.places[string(message.Value)] = place{int32(message.Partition), message.Offset}
	}
}

// place returns where a record was stored: without a report, at the partition that was asked for.
func (p *producer) place(value string, partition int32) place {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, known := p.places[value]
	if !known {
		return place{partition, -1}
	}
	delete(p.places, value)
	return found
}

func (p *producer) write(partition int32, sequences []int64, ended func()) {
	messages := make([]kafka.Message, len(sequences))
	for index, sequence := range sequences {
		clock := driver.Clock()
		value := driver.Value(p.out.Name(), partition, sequence, clock)
		p.out.Sent(partition, sequence, clock)
		messages[index] = kafka.Message{Key: driver.Key(p.start, sequence), Value: []byte(value)}
	}
	err := p.library.WriteMessages(context.Background(), messages...)
	for index, sequence := range sequences {
		if failure := ofMessage(err, index); failure != nil {
			p.out.Event(driverpb.Kind_SEND_ERROR, driver.At(partition, sequence), driver.Failed(describe(failure)))
		} else {
			stored := p.place(string(messages[index].Value), partition)
			p.out.Event(driverpb.Kind_ACKED, driver.At(stored.partition, sequence), driver.Offset(stored.offset))
		}
		ended()
	}
}

func (p *producer) Close() {
	p.workload.Stop()
	if err := p.library.Close(); err != nil { // it writes the remaining records
		p.out.Notice("close: %v", err)
	}
	p.calls.Wait()
	p.workload.ReportSkipped()
}
