// Package front is three virtual brokers with one rule table in front of the state machine.
//
// Every request is decoded and the rules are asked: on arrival, and again for every waiting request when the state
// changes; nowhere else. All state of these decisions is in Front, under one lock.
package front

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/sasl"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicPartition names a partition.
type topicPartition struct {
	topic     string
	partition int32
}

// endpoint is an advertised address.
type endpoint struct {
	host string
	port int32
}

// Front holds the state of the brokers, their rules and their changes.
type Front struct {
	release    *release.Release
	served     map[int16]release.VersionRange
	rolledBack map[int32]offer          // APIs of brokers that were rolled back
	limit      *clusterpb.LimitVersions // fault of ApiVersions, nil = none
	quotas     map[int32]*clusterpb.Throttle
	racks      map[int32]string // by broker; nil = no broker has one
	backend    *backend.Backend
	log        *events.Log
	endpoints  map[int32]endpoint
	brokers    map[int32]*broker
	bootstrap  *broker // the first broker at another address, which Metadata does not name
	counts     counts
	stalls     stalls
	journal    *journal
	shares     shareSessions
	closed     chan struct{}
	logins     atomic.Pointer[sasl.Listener] // what the listeners ask for; nil = no log-in

	mu                  sync.Mutex
	changed             chan struct{} // closed and replaced at every change that waiting requests must see
	rules               rules.Table
	list                []*topology.Topology      // oldest first, never empty
	gone                map[string]topology.Topic // deleted topics
	ends                map[string][]int64        // by deleted topic: the log end offset of each partition
	views               map[int32]topology.View
	states              map[int32]clusterpb.BrokerState_State
	initialCoordinators map[topology.Key]int32     // first coordinator of every known key
	loading             map[topology.Key]time.Time // COORDINATOR_LOAD_IN_PROGRESS until then
	pendingMoves        map[topology.Key]*pendingMove
	taken               map[string]int16 // by transactional id: the epoch since which another producer has it
	faults              []*fault
	calmLogins          *sasl.Listener // what they ask for outside of a fault
	announced           []announcement // moves that at least one broker does not show yet
}

// New creates the front of a started state machine; Listen opens its ports.
func New(r *release.Release, bounds map[int16]release.VersionRange, b *backend.Backend, log *events.Log, advertise []string) (*Front, error) {
	offered, err := b.Offered()
	if err != nil {
		return nil, fmt.Errorf("state machine: %w", err)
	}
	f := &Front{
		release: r, served: release.Served(offered, bounds), rolledBack: map[int32]offer{},
		quotas: map[int32]*clusterpb.Throttle{}, backend: b, log: log,
		brokers: map[int32]*broker{}, changed: make(chan struct{}), closed: make(chan struct{}),
		shares: shareSessions{open: map[shareKey]*shareSession{}},
		gone:   map[string]topology.Topic{}, ends: map[string][]int64{},
		views: map[int32]topology.View{}, states: map[int32]clusterpb.BrokerState_State{},
		initialCoordinators: map[topology.Key]int32{}, loading: map[topology.Key]time.Time{},
		pendingMoves: map[topology.Key]*pendingMove{}, taken: map[string]int16{},
		list: []*topology.Topology{(&topology.Topology{}).Next()},
	}
	if handshake, ok := f.served[int16(kmsg.SASLHandshake)]; ok {
		handshake.Min = 0 // the front serves it, and the state machine lacks version 0
		f.served[int16(kmsg.SASLHandshake)] = handshake
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

// Listen opens the ports of the three brokers on loopback, and the bootstrap port. It returns their addresses in order.
func (f *Front) Listen() ([]string, string, error) {
	var addresses []string
	for _, id := range topology.Brokers {
		b := &broker{front: f, id: id, conns: map[*conn]struct{}{}}
		if err := b.open(); err != nil {
			return nil, "", fmt.Errorf("broker %d: %w", id, err)
		}
		f.brokers[id] = b
		addresses = append(addresses, b.address)
	}
	f.bootstrap = &broker{front: f, id: topology.Brokers[0], bootstrap: true, conns: map[*conn]struct{}{}}
	if err := f.bootstrap.open(); err != nil {
		return nil, "", fmt.Errorf("bootstrap: %w", err)
	}
	return addresses, f.bootstrap.address, f.watchStalls()
}

// ports returns the ports of a broker.
func (f *Front) ports(id int32) []*broker {
	if id == f.bootstrap.id {
		return []*broker{f.brokers[id], f.bootstrap}
	}
	return []*broker{f.brokers[id]}
}

// Close ends every connection and frees the ports.
func (f *Front) Close() {
	close(f.closed)
	if f.stalls.ticker != nil {
		f.stalls.ticker.stop()
	}
	for id := range f.brokers {
		for _, b := range f.ports(id) {
			b.shut()
			b.freePort()
		}
	}
}

// newest returns the current topology.
func (f *Front) newest() *topology.Topology { return f.list[len(f.list)-1] }

// view returns the topology that a broker shows now.
func (f *Front) view(broker int32) *topology.Topology {
	return topology.Shown(f.list, f.views[broker], time.Now())
}

// publish makes a topology the current one.
func (f *Front) publish(next *topology.Topology) {
	next.At = time.Now()
	f.syncFollowers(f.newest(), next)
	f.list = append(f.list, next)
	f.wake()
	f.scheduleAnnouncements()
}

// wake lets every waiting request decide again.
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
	for i := len(f.list) - 1; i >= 0; i-- { // rules may be about a deleted topic
		if name := f.list[i].NameOf(id); name != "" {
			return name
		}
	}
	return ""
}
