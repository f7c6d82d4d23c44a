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

// byValue is the balancer: a Writer takes no partition from its caller, so it is read from the record's value.
func byValue(message kafka.Message, partitions ...int) int {
	words := strings.Fields(string(message.Value))
	if len(words) > 1 {
		if wanted, err := strconv.Atoi(words[1]); err == nil {
			return wanted
		}
	}
	return partitions[0]
}

// producer writes one record each interval to each partition, each in a call of its own, which blocks until the
// record is written.
type producer struct {
	library *kafka.Writer
	out     *driver.Instance
	closing chan struct{}
	beats   sync.WaitGroup
	calls   sync.WaitGroup
	flows   []*driver.Flow

	mu      sync.Mutex
	offsets map[string]int64 // by value; what only a callback of newer versions tells
}

func openProducer(c *config, start *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	p := &producer{out: out, closing: make(chan struct{}), offsets: map[string]int64{}}
	if err := p.build(c); err != nil {
		return nil, err
	}
	out.Ready(writerSettings(c, p.library))
	for _, partition := range start.Partitions {
		flow := driver.NewFlow(start.MaxInFlight)
		p.flows = append(p.flows, flow)
		p.beats.Add(1)
		go p.feed(partition, flow)
	}
	return p, nil
}

func (p *producer) build(c *config) error {
	complain := kafka.LoggerFunc(func(format string, args ...any) { p.out.Notice(format, args...) })
	if c.writer == nil {
		c.old.ErrorLogger = complain
		if err := c.old.Validate(); err != nil {
			return driver.Refuse("kafka-go %s refuses this configuration: %v", version(), err)
		}
		p.library = kafka.NewWriter(*c.old)
		return nil
	}
	p.library = c.writer
	field(p.library, "ErrorLogger").Set(reflect.ValueOf(complain))
	if told := field(p.library, "Completion"); told.IsValid() && number(p.library, "RequiredAcks") != 0 {
		told.Set(reflect.ValueOf(p.completed))
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

func (p *producer) feed(partition int32, flow *driver.Flow) {
	defer p.beats.Done()
	sequence := int64(0)
	driver.Beat(p.closing, p.out.IntervalOf(partition), func() {
		if !flow.Begin() {
			return
		}
		p.calls.Add(1)
		go p.write(partition, sequence, flow)
		sequence++
	})
}

func (p *producer) write(partition int32, sequence int64, flow *driver.Flow) {
	defer p.calls.Done()
	defer flow.End()
	clock := driver.Clock()
	this := driver.At(partition, sequence)
	value := driver.Value(p.out.Name(), partition, sequence, clock)
	p.out.Sent(partition, sequence, clock)
	if err := p.library.WriteMessages(context.Background(), kafka.Message{Value: []byte(value)}); err != nil {
		p.out.Event(driverpb.Kind_SEND_ERROR, this, driver.Failed(describe(err)))
		return
	}
	p.out.Event(driverpb.Kind_ACKED, this, driver.Offset(p.offset(value)))
}

func (p *producer) Close() {
	close(p.closing)
	p.beats.Wait()
	if err := p.library.Close(); err != nil { // it writes what is left
		p.out.Notice("close: %v", err)
	}
	p.calls.Wait()
	for index, flow := range p.flows {
		if skipped := flow.Skipped.Load(); skipped > 0 {
			p.out.Notice("partition index %d: %d beats were skipped", index, skipped)
		}
	}
}
