package front

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// evacuate moves all that a broker leads or coordinates, in one step: who asks sees either all of it or nothing.
func (f *Front) evacuate(e *clusterpb.Evacuate, hitMs int64) error {
	next := f.newest().Next()
	if e.Leaves && next.Alive(e.Broker) {
		next.Gone = append(next.Gone, e.Broker)
	}
	for name, topic := range next.Topics {
		for p := range topic.Partitions {
			if err := f.vacate(next, name, int32(p), e, hitMs); err != nil {
				return err
			}
		}
	}
	f.bequeath(next, e, hitMs)
	f.publish(next)
	return nil
}

// vacate elects another leader for a partition that the broker leads, and takes its replica away if asked.
func (f *Front) vacate(next *topology.Topology, name string, number int32, e *clusterpb.Evacuate, hitMs int64) error {
	topic := next.Topics[name]
	p := &topic.Partitions[number]
	heir := f.electable(next, *p, e.Broker)
	if e.DropReplicas && len(p.Replicas) > 1 {
		p.Replicas = slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return b == e.Broker })
	}
	if p.Leader != e.Broker {
		return nil
	}
	node := heir
	if heir == -1 {
		node = e.Broker // stays in the state machine, under a new epoch
	}
	term, err := f.backend.Move(name, number, node)
	if err != nil {
		return err
	}
	p.Leader, p.Epoch, p.Terms = heir, term.Epoch, append(slices.Clone(p.Terms), term)
	at := place{name, number}
	if !topic.Internal {
		f.log.Add(movedEvent(heir, hitMs, at, ""))
		f.await(announcement{place: at, target: heir, old: e.Broker})
	}
	return nil
}

// electable is the first in-sync replica on another broker that is up, in assignment order; -1 if there is none.
func (f *Front) electable(top *topology.Topology, p topology.Partition, not int32) int32 {
	for _, id := range top.ISR(p) {
		if id != not && f.states[id] == clusterpb.BrokerState_UP {
			return id
		}
	}
	return -1
}

// bequeath gives a broker's keys to the next living one: those that are known, and those that will ask first later.
func (f *Front) bequeath(next *topology.Topology, e *clusterpb.Evacuate, hitMs int64) {
	heir := f.nextUp(next, e.Broker)
	if heir == -1 {
		return
	}
	before := f.newest()
	for key := range f.homes {
		if f.leaving[key] != nil || f.coordinator(before, key) != e.Broker {
			continue
		}
		if e.LoadingMs > 0 {
			f.loading[key] = time.Now().Add(time.Duration(e.LoadingMs) * time.Millisecond)
		}
		next.Coordinators[key] = heir
		f.log.Add(movedEvent(heir, hitMs, place{partition: -1}, key.Name))
		f.await(announcement{key: &key, target: heir, old: e.Broker})
	}
	next.Bequeath(e.Broker, heir)
}

// nextUp is the next broker by number, around, that is up and listed; -1 if there is none.
func (f *Front) nextUp(top *topology.Topology, broker int32) int32 {
	from := slices.Index(topology.Brokers, broker)
	for i := range len(topology.Brokers) - 1 {
		id := topology.Brokers[(from+1+i)%len(topology.Brokers)]
		if f.states[id] == clusterpb.BrokerState_UP && top.Alive(id) {
			return id
		}
	}
	return -1
}

// endpointsOf reads advertised addresses, host:port, of all brokers in order.
func endpointsOf(advertise []string) (map[int32]endpoint, error) {
	if len(advertise) != len(topology.Brokers) {
		return nil, fmt.Errorf("%d advertised addresses: want %d", len(advertise), len(topology.Brokers))
	}
	endpoints := map[int32]endpoint{}
	for i, id := range topology.Brokers {
		host, port, err := net.SplitHostPort(advertise[i])
		number, bad := strconv.ParseUint(port, 10, 16)
		if err != nil || bad != nil {
			return nil, fmt.Errorf("advertised address %q: want host:port", advertise[i])
		}
		endpoints[id] = endpoint{host, int32(number)}
	}
	return endpoints, nil
}
