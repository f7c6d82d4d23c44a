package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

const (
	// routingTag is the tag whose value is a record's key.
	routingTag = "key"
	writeLimit = 5 * time.Second
)

// producer passes the agent one metric per interval and partition.
type producer struct {
	*child
	wire    net.Conn
	writing sync.Mutex
	done    chan struct{} // no more ticks
	tickers sync.WaitGroup
}

func openProducer(c *configuration, order *driverpb.Start, out *driver.Instance) (driver.Client, error) {
	folder, err := os.MkdirTemp("", "telegraf-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "in")
	c.set(feed+".service_address", quote("unix://"+socket))
	agent, err := start(c, out, folder, func(string) {})
	if err != nil {
		return nil, err
	}
	p := &producer{child: agent, done: make(chan struct{})}
	// The agent listens once it has connected to Kafka.
	listens := func() bool { p.wire, err = net.Dial("unix", socket); return err == nil }
	if err := agent.until(listens, c); err != nil {
		agent.stop()
		return nil, err
	}
	agent.serve(writerSettings(c))
	for _, partition := range order.Partitions {
		p.tickers.Go(func() { p.feed(partition) })
	}
	return p, nil
}

func (p *producer) feed(partition int32) {
	key := driver.KeyOf(partition)
	driver.Feed(p.done, p.out, partition, func(value string) {
		p.hand(fmt.Sprintf("probe,%s=%s value=%q\n", routingTag, key, value))
	})
}

// hand writes one line; all partitions share a connection, as an application's metrics do.
func (p *producer) hand(line string) {
	p.writing.Lock()
	defer p.writing.Unlock()
	_ = p.wire.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := p.wire.Write([]byte(line)); err != nil && !p.closing.Load() {
		p.out.Notice("the agent does not take metrics: %v", err)
	}
}

func (p *producer) Close() {
	p.closing.Store(true)
	close(p.done)
	p.tickers.Wait()
	_ = p.wire.Close()
	p.stop()
}
