package front

import (
	"fmt"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// CreateTopic creates a topic with the given leaders and replicas, and with its past, and returns its id.
func (f *Front) CreateTopic(name string, partitions []*clusterpb.Assignment, past *clusterpb.ClusterHistory) ([16]byte, error) {
	leaders := make([]int32, len(partitions))
	replicas := make([][]int32, len(partitions))
	for p, a := range partitions {
		leaders[p], replicas[p] = a.Leader, a.Replicas
		if len(replicas[p]) == 0 {
			replicas[p] = leaderFirst(a.Leader)
		}
		if !slices.Contains(topology.Brokers, a.Leader) || !slices.Contains(replicas[p], a.Leader) {
			return [16]byte{}, fmt.Errorf("topic %q: partition %d: leader %d must be a broker from 1 to 3 and one of its replicas", name, p, a.Leader)
		}
	}
	if name == "" || len(partitions) == 0 {
		return [16]byte{}, fmt.Errorf("topic %q: give a name and at least one partition", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.newest().Next()
	by, err := f.remember(next, past)
	if err != nil {
		return [16]byte{}, err
	}
	topic, err := f.create(name, leaders, replicas, false)
	if err != nil {
		return topic.ID, err
	}
	for p, a := range partitions {
		of := &topic.Partitions[p]
		if of.Terms, err = f.backend.Age(name, int32(p), a, of.Replicas, by, of.Terms); err != nil {
			return topic.ID, err
		}
		of.Epoch = of.Terms[len(of.Terms)-1].Epoch
	}
	for _, commit := range past.GetCommits() {
		if err := f.backend.Commit(commit.Group, name, commit.Offsets); err != nil {
			return topic.ID, err
		}
	}
	next.Topics[name] = topic
	f.publish(next)
	return topic.ID, nil
}

func (f *Front) createInternal(name string, leaders []int32) error {
	var replicas [][]int32
	for _, leader := range leaders {
		replicas = append(replicas, leaderFirst(leader))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	topic, err := f.create(name, leaders, replicas, true)
	if err != nil {
		return err
	}
	next := f.newest().Next()
	next.Topics[name] = topic
	f.publish(next)
	return nil
}

// create creates a topic in the state machine and returns it as the topology shows it.
func (f *Front) create(name string, leaders []int32, replicas [][]int32, internal bool) (topology.Topic, error) {
	id, terms, err := f.backend.CreateTopic(name, leaders, internal)
	topic := topology.Topic{ID: id, Internal: internal}
	for p := range terms {
		topic.Partitions = append(topic.Partitions, topology.Partition{
			Leader: leaders[p], Epoch: terms[p].Epoch, Replicas: replicas[p], Terms: terms[p : p+1 : p+1],
		})
	}
	return topic, err
}

// leaderFirst returns all three brokers, the leader first.
func leaderFirst(leader int32) []int32 {
	others := slices.DeleteFunc(slices.Clone(topology.Brokers), func(b int32) bool { return b == leader })
	return append([]int32{leader}, others...)
}

// changeTopic deletes, recreates or grows a topic.
func (f *Front) changeTopic(c *clusterpb.TopicChange) error {
	was, known := f.newest().Topics[c.Topic]
	switch c.What {
	case clusterpb.TopicChange_GROW:
		if err := f.backend.Grow(c.Topic, c.Partitions); err != nil {
			return err
		}
	case clusterpb.TopicChange_DELETE:
		if err := f.deleteTopic(c.Topic); err != nil {
			return err
		}
	case clusterpb.TopicChange_RECREATE:
		if !known {
			was = f.gone[c.Topic]
		} else if err := f.deleteTopic(c.Topic); err != nil {
			return err
		}
		var leaders []int32
		for _, p := range was.Partitions {
			leaders = append(leaders, max(p.Leader, 1))
		}
		if _, _, err := f.backend.CreateTopic(c.Topic, leaders, was.Internal); err != nil {
			return err
		}
		if c.LongerBy > 0 {
			if err := f.fill(c); err != nil {
				return err
			}
		}
	}
	f.resync(c.Topic)
	f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Topic: c.Topic, Partition: -1, Text: c.What.String()})
	return nil
}

// deleteTopic deletes a topic and remembers where its logs ended.
func (f *Front) deleteTopic(name string) error {
	_, partitions, _ := f.backend.Topic(name)
	ends := make([]int64, len(partitions))
	for _, p := range partitions {
		ends[p.Partition] = p.HighWatermark
	}
	f.ends[name] = ends
	return f.backend.DeleteTopic(name)
}

// fill writes to the logs of a topic that has come back, until each is longer than its old one. No broker shows the topic
// yet, so no client is served in between.
func (f *Front) fill(c *clusterpb.TopicChange) error {
	for p, end := range f.ends[c.Topic] {
		if err := f.backend.Fill(c.Topic, int32(p), int32(end)+c.LongerBy); err != nil {
			return err
		}
	}
	return nil
}

// resync adopts the state machine's view of a topic, after a change by the front or by an admin client.
func (f *Front) resync(name string) {
	was, known := f.newest().Topics[name]
	info, partitions, exists := f.backend.Topic(name)
	next := f.newest().Next()
	if exists && !known {
		was, known = f.gone[name]
		delete(f.gone, name)
	}
	switch {
	case !exists && !known, exists && known && was.ID == info.TopicID && len(was.Partitions) == len(partitions):
		return
	case !exists:
		f.gone[name] = was
		delete(next.Topics, name)
	default:
		topic := topology.Topic{ID: info.TopicID, Internal: was.Internal}
		for i, p := range partitions {
			fresh := topology.Partition{
				Leader: p.Leader, Epoch: p.Epoch, Replicas: leaderFirst(p.Leader),
				Terms: []topology.Term{{Epoch: p.Epoch, Start: 0}},
			}
			if known && i < len(was.Partitions) {
				fresh.Replicas = was.Partitions[i].Replicas
			}
			if known && i < len(was.Partitions) && was.ID == info.TopicID {
				fresh = was.Partitions[i]
			}
			topic.Partitions = append(topic.Partitions, fresh)
		}
		next.Topics[name] = topic
	}
	f.publish(next)
}

// Resync adopts every topic of the state machine.
func (f *Front) Resync() error {
	names, err := f.backend.Topics()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for known := range f.newest().Topics {
		names = append(names, known)
	}
	for _, name := range names {
		f.resync(name)
	}
	return nil
}

// restore returns stopped and hung brokers, brings failed log dirs back, and gives leaderless partitions a leader.
func (f *Front) restore() {
	for _, id := range topology.Brokers {
		if f.states[id] == clusterpb.BrokerState_UP && f.newest().Alive(id) {
			continue
		}
		if err := f.setBroker(&clusterpb.BrokerState{Broker: id}); err != nil {
			f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: id, Partition: -1, Text: "broker did not return: " + err.Error()})
		}
	}
	f.restoreReplicas()
	for name, topic := range f.newest().Topics {
		for p, partition := range topic.Partitions {
			if partition.Leader < 0 {
				move := &clusterpb.MoveLeader{Topic: name, Partition: int32(p), To: f.backend.Leader(name, int32(p))}
				if err := f.moveLeader(move, noHit); err != nil {
					f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Partition: -1, Text: err.Error()})
				}
			}
		}
	}
}

// restoreReplicas brings failed log dirs back, and lets lagging replicas catch up.
func (f *Front) restoreReplicas() {
	next, changed := f.newest().Next(), false
	for _, topic := range next.Topics {
		for i := range topic.Partitions {
			p := &topic.Partitions[i]
			changed = changed || len(p.Offline) > 0 || len(p.Lagging) > 0
			p.Offline, p.Lagging = nil, nil
		}
	}
	if changed {
		f.publish(next)
	}
}

// syncFollowers sets the replicas that serve fetches in the state machine, where they changed.
func (f *Front) syncFollowers(was, now *topology.Topology) {
	for name, topic := range now.Topics {
		for p, partition := range topic.Partitions {
			serving := now.Serving(partition)
			if before, ok := was.Partition(name, int32(p)); !ok || !slices.Equal(was.Serving(before), serving) || was.Topics[name].ID != topic.ID {
				f.backend.Followers(name, int32(p), serving)
			}
		}
	}
}
