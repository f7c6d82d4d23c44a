package front

import (
	"fmt"
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
)

// noHit is the value of an event that did not follow from the first hit of a fault.
const noHit int64 = -1

// storageError is the error code of a replica on a failed log dir (KAFKA_STORAGE_ERROR).
const storageError int32 = 56

// Apply makes a change at once and returns its time.
func (f *Front) Apply(change *clusterpb.Change) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check(change); err != nil {
		return 0, err
	}
	if err := f.apply(change, noHit); err != nil {
		return 0, err
	}
	f.calmLogins = f.logins.Load()
	return f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Partition: -1, Text: "applied"}), nil
}

// check returns a one-line error for a change that is impossible.
func (f *Front) check(change *clusterpb.Change) error {
	switch c := change.GetChange().(type) {
	case *clusterpb.Change_MoveLeader:
		return f.checkMoveLeader(c.MoveLeader)
	case *clusterpb.Change_MoveCoordinator:
		return checkMoveCoordinator(c.MoveCoordinator)
	case *clusterpb.Change_Broker:
		return checkBroker("broker state", c.Broker.Broker, "")
	case *clusterpb.Change_View:
		if c.View.Broker == 0 {
			return nil
		}
		return checkBroker("metadata view", c.View.Broker, ", or 0 for all")
	case *clusterpb.Change_Topic:
		return f.checkTopic(c.Topic)
	case *clusterpb.Change_Evacuate:
		return checkBroker("evacuate", c.Evacuate.Broker, "")
	case *clusterpb.Change_RollBack:
		if _, err := release.Parse(c.RollBack.Line); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
		return checkBroker("roll back", c.RollBack.Broker, "")
	case *clusterpb.Change_LimitVersions:
		if c.LimitVersions.Highest < 0 {
			return fmt.Errorf("limit versions: %d is no version; give 0 or more", c.LimitVersions.Highest)
		}
		return nil
	case *clusterpb.Change_Throttle:
		return checkThrottle(c.Throttle)
	case *clusterpb.Change_MoveController:
		return checkBroker("move controller", c.MoveController.To, "")
	case *clusterpb.Change_Readdress:
		_, err := endpointsOf(c.Readdress.Advertise)
		return err
	case *clusterpb.Change_UseId:
		return checkUseID(c.UseId)
	case *clusterpb.Change_OpenTransaction:
		return f.checkOpenTransaction(c.OpenTransaction)
	case *clusterpb.Change_Security:
		_, err := f.listenerOf(c.Security)
		return err
	case *clusterpb.Change_Racks:
		return checkRacks(c.Racks)
	case *clusterpb.Change_FailReplica:
		return f.checkFailReplica(c.FailReplica)
	}
	return fmt.Errorf("a change must name what changes")
}

// checkBroker returns an error if a broker does not exist; `others` are further valid values, as text.
func checkBroker(change string, broker int32, others string) error {
	if slices.Contains(topology.Brokers, broker) {
		return nil
	}
	return fmt.Errorf("%s: there is no broker %d; give 1 to 3%s", change, broker, others)
}

func (f *Front) checkMoveLeader(m *clusterpb.MoveLeader) error {
	for _, number := range append([]int32{m.Partition}, m.Also...) {
		if _, ok := f.newest().Partition(m.Topic, number); !ok {
			return fmt.Errorf("move leader: there is no partition %s/%d", m.Topic, number)
		}
	}
	if m.To == -1 {
		return nil
	}
	return checkBroker("move leader", m.To, ", or -1 for none")
}

func checkMoveCoordinator(m *clusterpb.MoveCoordinator) error {
	if m.Key == "" || !slices.Contains(topology.Brokers, m.To) {
		return fmt.Errorf("move coordinator of %q to %d: give a key and a broker from 1 to 3", m.Key, m.To)
	}
	if m.KeyType != int32(wire.Group) && m.KeyType != int32(wire.Transaction) {
		return fmt.Errorf("move coordinator: unknown key type %d; give 0 (group) or 1 (transaction)", m.KeyType)
	}
	return nil
}

func (f *Front) checkTopic(c *clusterpb.TopicChange) error {
	_, known := f.newest().Topics[c.Topic]
	_, deleted := f.gone[c.Topic]
	if !known && (!deleted || c.What != clusterpb.TopicChange_RECREATE) {
		return fmt.Errorf("topic change: there is no topic %q", c.Topic)
	}
	return nil
}

// apply makes a change; hitMs are the milliseconds since the first hit, noHit without one.
func (f *Front) apply(change *clusterpb.Change, hitMs int64) error {
	switch c := change.GetChange().(type) {
	case *clusterpb.Change_MoveLeader:
		return f.moveLeader(c.MoveLeader, hitMs)
	case *clusterpb.Change_MoveCoordinator:
		f.moveCoordinator(c.MoveCoordinator, hitMs)
	case *clusterpb.Change_Broker:
		return f.setBroker(c.Broker)
	case *clusterpb.Change_View:
		f.setView(c.View)
	case *clusterpb.Change_Topic:
		return f.changeTopic(c.Topic)
	case *clusterpb.Change_Evacuate:
		return f.evacuate(c.Evacuate, hitMs)
	case *clusterpb.Change_RollBack:
		return f.rollBack(c.RollBack)
	case *clusterpb.Change_LimitVersions:
		f.limit = c.LimitVersions
	case *clusterpb.Change_Throttle:
		f.quotas[c.Throttle.Broker] = c.Throttle
	case *clusterpb.Change_MoveController:
		f.moveController(c.MoveController.To, hitMs)
	case *clusterpb.Change_UseId:
		return f.useID(c.UseId)
	case *clusterpb.Change_OpenTransaction:
		return f.backend.LeaveOpen(c.OpenTransaction)
	case *clusterpb.Change_Security:
		asked, err := f.listenerOf(c.Security)
		if err == nil {
			f.logins.Store(asked)
		}
		return err
	case *clusterpb.Change_Racks:
		f.setRacks(c.Racks)
	case *clusterpb.Change_FailReplica:
		f.failReplica(c.FailReplica)
	case *clusterpb.Change_Readdress:
		endpoints, err := endpointsOf(c.Readdress.Advertise)
		if err == nil {
			f.endpoints = endpoints
		}
		return err
	}
	return nil
}

// moveLeader elects another leader, or none, of one partition or of several in one step. If a rule answers 56 for the old
// leader (a failed log dir), its replica is offline until the fault is healed.
func (f *Front) moveLeader(m *clusterpb.MoveLeader, hitMs int64) error {
	next := f.newest().Next()
	for _, number := range append([]int32{m.Partition}, m.Also...) {
		if err := f.movePartition(next, m, number, hitMs); err != nil {
			return err
		}
	}
	f.publish(next)
	return nil
}

func (f *Front) movePartition(next *topology.Topology, m *clusterpb.MoveLeader, number int32, hitMs int64) error {
	p := &next.Topics[m.Topic].Partitions[number]
	where, old := topicPartition{m.Topic, number}, p.Leader
	if err := f.elect(p, where, m.To); err != nil {
		return err
	}
	p.Hinted = m.Hinted
	if old > 0 && old != m.To {
		if m.DropOld {
			p.Replicas = slices.DeleteFunc(slices.Clone(p.Replicas), func(b int32) bool { return b == old })
		} else if f.rules.Answers(old, m.Topic, number, storageError, time.Now()) {
			p.Offline = append(slices.Clone(p.Offline), old)
		}
	}
	if m.To > 0 && !slices.Contains(p.Replicas, m.To) {
		p.Replicas = append(slices.Clone(p.Replicas), m.To)
	}
	f.log.Add(movedEvent(m.To, hitMs, where, ""))
	f.track(announcement{where: where, target: m.To, old: old})
	return nil
}

// elect begins a leader epoch of a partition; `to` is -1 for one without a leader.
func (f *Front) elect(p *topology.Partition, where topicPartition, to int32) error {
	node := to
	if node == -1 {
		node = f.backend.Leader(where.topic, where.partition) // the state machine keeps its leader, with a new epoch
	}
	term, err := f.backend.Move(where.topic, where.partition, node)
	if err != nil {
		return err
	}
	p.Leader, p.Epoch, p.Terms = to, term.Epoch, append(slices.Clone(p.Terms), term)
	return nil
}

func movedEvent(to int32, hitMs int64, where topicPartition, key string) *clusterpb.Event {
	event := &clusterpb.Event{
		Kind: clusterpb.Event_MOVED, Broker: to, Topic: where.topic, Partition: where.partition, Key: key, Value: hitMs,
	}
	if to < 0 {
		event.Kind, event.Text = clusterpb.Event_NOTE, "leaderless"
	}
	return event
}

// moveController lets every broker name another controller at once: views that lag are for leaders.
func (f *Front) moveController(to int32, hitMs int64) {
	next := f.newest().Next()
	next.Controller = to
	nothing := topicPartition{partition: -1}
	f.log.Add(movedEvent(to, hitMs, nothing, ""))
	f.publish(next)
	f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_ANNOUNCED, Broker: to, Partition: -1})
}
