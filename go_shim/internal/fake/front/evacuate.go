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

// evacuate moves all leaderships and coordinators away from a broker in one step: a client observes either none or all
// of it.
func (f *Front) evacuate(e *clusterpb.Evacuate, hitMs int64) error {
	next := f.newest().Next()
	if e.Leaves && next.Alive(e.Broker) {
		next.Gone = append(next.Gone, e.Broker)
	}
	for name, topic := range next.Topics {
		for p := range topic.Partitions {
			if err := f.reassign(next, name, int32(p), e, hitMs); err != nil {
				return err
			}
		}
	}
	f.moveCoordinators(next, e, hitMs)
	f.publish(next)
	return nil
}

// reassign elects another leader for a partition that the broker leads, and removes its replica on request.
func (f *Front) reassign(next *topology.Topology, name string, number int32, e *clusterpb.Evacuate, hitMs int64) error {
	topic := next.Topics[name]
	p := &topic.Partitions[number]
	leader := f.eligibleLeader(next, *p, e.Broker)
	if e.DropReplicas && len(p.Replicas) > 1 {
		p.Replicas = slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return b == e.Broker })
	}
	if p.Leader != e.Broker {
		return nil
	}
	where := topicPartition{name, number}
	if err := f.elect(p, where, leader); err != nil {
		return err
	}
	if !topic.Internal {
		f.log.Add(movedEvent(leader, hitMs, where, ""))
		f.track(announcement{where: where, target: leader, old: e.Broker})
	}
	return nil
}

// eligibleLeader returns the first in-sync replica on another broker that is up, in assignment order; -1 if there is
// none.
func (f *Front) eligibleLeader(top *topology.Topology, p topology.Partition, not int32) int32 {
	for _, id := range top.ISR(p) {
		if id != not && f.states[id] == clusterpb.BrokerState_UP {
			return id
		}
	}
	return -1
}

// moveCoordinators moves a broker's keys to the next live broker: known keys, and keys that are used for the first time
// later.
func (f *Front) moveCoordinators(next *topology.Topology, e *clusterpb.Evacuate, hitMs int64) {
	successor := f.nextLiveBroker(next, e.Broker)
	if successor == -1 {
		return
	}
	before := f.newest()
	for key := range f.initialCoordinators {
		if f.pendingMoves[key] != nil || f.coordinator(before, key) != e.Broker {
			continue
		}
		if e.LoadingMs > 0 {
			f.loading[key] = time.Now().Add(time.Duration(e.LoadingMs) * time.Millisecond)
		}
		next.Coordinators[key] = successor
		f.log.Add(movedEvent(successor, hitMs, topicPartition{partition: -1}, key.Name))
		f.track(announcement{key: &key, target: successor, old: e.Broker})
	}
	next.MoveCoordinators(e.Broker, successor)
}

// nextLiveBroker returns the next broker by number, cyclically, that is up and listed; -1 if there is none.
func (f *Front) nextLiveBroker(top *topology.Topology, broker int32) int32 {
	from := slices.Index(topology.Brokers, broker)
	for i := range len(topology.Brokers) - 1 {
		id := topology.Brokers[(from+1+i)%len(topology.Brokers)]
		if f.states[id] == clusterpb.BrokerState_UP && top.Alive(id) {
			return id
		}
	}
	return -1
}

// endpointsOf parses the advertised addresses, host:port, of all brokers in order.
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
