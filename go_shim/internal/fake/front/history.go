package front

import (
	"fmt"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/backend"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
)

// electionsOfOthers bounds the leader elections of partitions of other topics: partition p of topic t had 1 to this
// number.
const electionsOfOthers = 5

// remember gives the cluster its past: other topics, used producer ids and transactional ids, and a change of the
// controller. It returns the producer that wrote the records of the past.
func (f *Front) remember(next *topology.Topology, past *clusterpb.ClusterHistory) (backend.Producer, error) {
	for t, other := range past.GetTopics() {
		if _, exists := next.Topics[other.Topic]; exists {
			continue
		}
		topic, err := f.createOther(t, other)
		if err != nil {
			return backend.Producer{}, err
		}
		next.Topics[other.Topic] = topic
	}
	for _, used := range past.GetTransactionalIds() {
		if err := f.backend.UseTransactionalID(used.TransactionalId, used.Producers); err != nil {
			return backend.Producer{}, fmt.Errorf("transactional id %q: %w", used.TransactionalId, err)
		}
	}
	if controller := past.GetController(); controller != 0 {
		if !slices.Contains(topology.Brokers, controller) {
			return backend.Producer{}, fmt.Errorf("controller: there is no broker %d; give 1 to 3", controller)
		}
		next.Controller = controller
	}
	return f.backend.NewProducers(past.GetProducerIds())
}

// createOther creates a topic that no client of a trial uses; its leaders are spread, and had elections.
func (f *Front) createOther(number int, other *clusterpb.OtherTopic) (topology.Topic, error) {
	var leaders []int32
	var replicas [][]int32
	for p := range int(other.Partitions) {
		leader := topology.Brokers[(number+p)%len(topology.Brokers)]
		leaders, replicas = append(leaders, leader), append(replicas, leaderFirst(leader))
	}
	topic, err := f.create(other.Topic, leaders, replicas, false)
	if err != nil {
		return topic, err
	}
	for p := range topic.Partitions {
		of := &topic.Partitions[p]
		past := &clusterpb.Assignment{Leader: of.Leader, Elections: int32((number+p)%electionsOfOthers + 1)}
		if of.Terms, err = f.backend.Age(other.Topic, int32(p), past, of.Replicas, backend.Producer{}, of.Terms); err != nil {
			return topic, err
		}
		of.Epoch = of.Terms[len(of.Terms)-1].Epoch
	}
	return topic, nil
}
