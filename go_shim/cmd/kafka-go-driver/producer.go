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

// producer writes one record per interval to every partition, each in a call that blocks until the record is written.
type producer struct {
	library  *kafka.Writer
	out      *driver.Instance
	workload *driver.Workload
	calls    sync.WaitGroup

	mu      sync.Mutex
	offsets map[string]int64 // by value; only a callback of newer versions reports them
}

func openProducer(c *config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	p := &producer{out: out, offsets: map[string]int64{}}
	if err := p.build(c); err != nil {
		return nil, err
	}
	out.Ready(writerSettings(c, p.library))
	p.workload = driver.StartWorkload(out, start, func(partition int32, sequence int64, ended func()) bool {
		p.calls.Go(func() {
			defer ended()
			p.write(partition, sequence)
		})
		return true
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
		p.offsets[string(message.Value)] = message.Offset
	}
}

func (p *producer) offset(value string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	offset, known := p.offsets[value]
	if !known {
		return -1
	}
	delete(p.offsets, value)
	return offset
}

func (p *producer) write(partition int32, sequence int64) {
	clock := driver.Clock()
	at := driver.At(partition, sequence)
	value := driver.Value(p.out.Name(), partition, sequence, clock)
	p.out.Sent(partition, sequence, clock)
	if err := p.library.WriteMessages(context.Background(), kafka.Message{Value: []byte(value)}); err != nil {
		p.out.Event(driverpb.Kind_SEND_ERROR, at, driver.Failed(describe(err)))
		return
	}
	p.out.Event(driverpb.Kind_ACKED, at, driver.Offset(p.offset(value)))
}

func (p *producer) Close() {
	p.workload.Stop()
	if err := p.library.Close(); err != nil { // it writes the remaining records
		p.out.Notice("close: %v", err)
	}
	p.calls.Wait()
	p.workload.ReportSkipped()
}
