// Package front is three virtual brokers with one rule table before the state machine.
//
// Every request is decoded and the table is asked: on arrival, and again for everything that waits whenever the state
// changes; nowhere else. All state that decides is in Front, under one lock.
package front

import (
	"fmt"
	"sync"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/line"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/table"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// place names a partition.
type place struct {
	topic     string
	partition int32
}

// endpoint is an advertised address.
type endpoint struct {
	host string
	port int32
}

// Front holds what the brokers know and are told to do.
type Front struct {
	line      *line.Line
	served    map[int16]line.Range
	rolled    map[int32]map[int16]line.Range // what a broker that was rolled back serves
	backend   *backend.Backend
	log       *events.Log
	endpoints map[int32]endpoint
	brokers   map[int32]*broker
	counts    counts
	stalls    stalls
	journal   *journal
	closed    chan struct{}

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced whenever something that waits must ask again
	table     table.Table
	list      []*topology.Topology      // oldest first, never empty
	gone      map[string]topology.Topic // as they were when they were deleted
	views     map[int32]topology.View
	states    map[int32]clusterpb.BrokerState_State
	homes     map[topology.Key]int32     // where a key was first seen
	loading   map[topology.Key]time.Time // 14 until then
	leaving   map[topology.Key]*leaving
	faults    []*fault
	announced []announcement // moves that some broker does not show yet
}

// New makes the front of a started state machine; Listen opens its ports.
func New(l *line.Line, bounds map[int16]line.Range, b *backend.Backend, log *events.Log, advertise []string) (*Front, error) {
	offered, err := b.Offered()
	if err != nil {
		return nil, fmt.Errorf("state machine: %w", err)
	}
	f := &Front{
		line: l, served: line.Served(offered, bounds), rolled: map[int32]map[int16]line.Range{}, backend: b, log: log,
		brokers: map[int32]*broker{}, changed: make(chan struct{}), closed: make(chan struct{}),
		gone:  map[string]topology.Topic{},
		views: map[int32]topology.View{}, states: map[int32]clusterpb.BrokerState_State{},
		homes: map[topology.Key]int32{}, loading: map[topology.Key]time.Time{},
		leaving: map[topology.Key]*leaving{},
		list:    []*topology.Topology{(&topology.Topology{}).Next()},
	}
	if f.endpoints, err = endpointsOf(advertise); err != nil {
		return nil, err
	}
	if err := b.CreateInternal(f.createInternal); err != nil {
		return nil, err
	}
	go f.keepAlive()
	return f, nil
}

// Listen opens the three brokers' ports on loopback and returns their addresses in order.
func (f *Front) Listen() ([]string, error) {
	var addresses []string
	for _, id := range topology.Brokers {
		b := &broker{front: f, id: id, conns: map[*conn]struct{}{}}
		if err := b.open(); err != nil {
			return nil, fmt.Errorf("broker %d: %w", id, err)
		}
		f.brokers[id] = b
		addresses = append(addresses, b.address)
	}
	return addresses, f.watchStalls()
}

// Close ends every connection and frees the ports.
func (f *Front) Close() {
	close(f.closed)
	if f.stalls.beat != nil {
		f.stalls.beat.stop()
	}
	for _, b := range f.brokers {
		b.shut()
		b.release()
	}
}

// newest is the topology in force.
func (f *Front) newest() *topology.Topology { return f.list[len(f.list)-1] }

// view is what a broker shows now.
func (f *Front) view(broker int32) *topology.Topology {
	return topology.Shown(f.list, f.views[broker], time.Now())
}

// publish puts a topology in force.
func (f *Front) publish(next *topology.Topology) {
	next.At = time.Now()
	f.syncFollowers(f.newest(), next)
	f.list = append(f.list, next)
	f.wake()
	f.scheduleAnnouncements()
}

// wake makes everything that waits ask again.
func (f *Front) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// waiting returns the channel that closes at the next change.
func (f *Front) waiting() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// names resolves a topic id.
func (f *Front) names(id [16]byte) string {
	if id == ([16]byte{}) {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.list) - 1; i >= 0; i-- { // an id that is gone still names what rules are about
		if name := f.list[i].NameOf(id); name != "" {
			return name
		}
	}
	return ""
}
