package front

import (
	"fmt"
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// editMetadata replaces brokers, leaders and topics by those of the broker's view.
func (f *Front) editMetadata(req *kmsg.MetadataRequest, resp *kmsg.MetadataResponse, broker int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	view, hidden := f.view(broker), f.views[broker].Hidden
	resp.Brokers = nil
	for _, id := range view.Living() {
		at := f.endpoints[id]
		resp.Brokers = append(resp.Brokers, kmsg.MetadataResponseBroker{NodeID: id, Host: at.host, Port: at.port, Rack: f.rackOf(id)})
	}
	resp.ControllerID = controller(view)
	if wire.MetadataAll(req) {
		resp.Topics = nil
		for name, topic := range view.Topics {
			if !slices.Contains(hidden, name) {
				row := kmsg.NewMetadataResponseTopic()
				row.Topic = kmsg.StringPtr(name)
				fillTopic(&row, topic, view, hidden)
				resp.Topics = append(resp.Topics, row)
			}
		}
		return
	}
	for i := range resp.Topics {
		editTopic(&resp.Topics[i], view, hidden, f.release)
	}
}

// editTopic fills in a topic that was requested by name or by id.
func editTopic(row *kmsg.MetadataResponseTopic, view *topology.Topology, hidden []string, r *release.Release) {
	name, byID := view.NameOf(row.TopicID), row.Topic == nil
	if !byID {
		name = *row.Topic
	}
	topic, known := view.Topics[name]
	switch {
	case known && !slices.Contains(hidden, name):
		row.Topic = kmsg.StringPtr(name)
		fillTopic(row, topic, view, hidden)
	case byID:
		row.ErrorCode, row.Partitions = unknownTopicID, nil
	case r.RefusesTopicNames() && release.TopicNameFault(name) != "":
		row.ErrorCode, row.Partitions = invalidTopic, nil
	case row.ErrorCode == 0 || row.ErrorCode == unknownTopic:
		row.ErrorCode, row.Partitions, row.TopicID, row.IsInternal = unknownTopic, nil, [16]byte{}, false
	}
}

func fillTopic(
	row *kmsg.MetadataResponseTopic, topic topology.Topic, view *topology.Topology, hidden []string,
) {
	row.ErrorCode, row.TopicID, row.IsInternal, row.Partitions = 0, topic.ID, topic.Internal, nil
	for p, partition := range topic.Partitions {
		if slices.Contains(hidden, fmt.Sprintf("%s/%d", *row.Topic, p)) {
			continue
		}
		out := kmsg.NewMetadataResponseTopicPartition()
		out.Partition = int32(p)
		out.Leader, out.LeaderEpoch, out.ErrorCode = shownLeader(partition, view)
		out.Replicas, out.ISR, out.OfflineReplicas = partition.Replicas, view.ISR(partition), view.Offline(partition)
		row.Partitions = append(row.Partitions, out)
	}
}

// shownLeader is -1 with LEADER_NOT_AVAILABLE without a leader, or if the leader is not listed.
func shownLeader(p topology.Partition, view *topology.Topology) (leader, epoch int32, code int16) {
	if p.Leader < 0 || !view.Alive(p.Leader) {
		return -1, p.Epoch, leaderNotAvailable
	}
	return p.Leader, p.Epoch, 0
}

// controller returns the elected controller if it is listed, else the listed broker with the highest id; -1 without any.
func controller(view *topology.Topology) int32 {
	if view.Controller > 0 && view.Alive(view.Controller) {
		return view.Controller
	}
	if living := view.Living(); len(living) > 0 {
		return slices.Max(living)
	}
	return -1
}

// codeMetadata writes errors into rows, and REBOOTSTRAP_REQUIRED into the answer as a whole. If every partition of a topic
// has one, the topic itself fails, except for errors that belong to partitions only; a faulted partition has no leader
// and keeps its replicas.
func codeMetadata(resp *kmsg.MetadataResponse, objects []rules.Object, codes wire.Codes) {
	for _, code := range codes {
		if code.Code == rebootstrapRequired {
			resp.ErrorCode, resp.Brokers, resp.Topics = code.Code, nil, nil
			return
		}
	}
	coded := map[topicPartition]int16{}
	total := map[string]int{}
	hit := map[string]int{}
	for i, object := range objects {
		total[object.Topic]++
		if code, ok := codes[i]; ok {
			hit[object.Topic]++
			coded[topicPartition{object.Topic, object.Partition}] = code.Code
		}
	}
	for t := range resp.Topics {
		row := &resp.Topics[t]
		if row.Topic == nil || hit[*row.Topic] == 0 {
			continue
		}
		name := *row.Topic
		var last int16
		for p := range row.Partitions {
			if code, ok := coded[topicPartition{name, row.Partitions[p].Partition}]; ok {
				row.Partitions[p].Leader, row.Partitions[p].ErrorCode, last = -1, code, code
			}
		}
		if code, ok := coded[topicPartition{name, -1}]; ok {
			row.ErrorCode = code
		} else if hit[name] == total[name] && !slices.Contains(ofPartitions, last) {
			row.ErrorCode, row.Partitions = last, nil
		}
	}
}

// ofPartitions are errors that brokers write into partition rows: no leader, no replica, no listener.
var ofPartitions = []int16{leaderNotAvailable, 9, 72}

func (f *Front) editDescribeCluster(resp *kmsg.DescribeClusterResponse, broker int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	view := f.view(broker)
	resp.Brokers = nil
	for _, id := range view.Living() {
		at := f.endpoints[id]
		resp.Brokers = append(resp.Brokers, kmsg.DescribeClusterResponseBroker{NodeID: id, Host: at.host, Port: at.port, Rack: f.rackOf(id)})
	}
	resp.ControllerID = controller(view)
}

func (f *Front) editDescribeTopics(resp *kmsg.DescribeTopicPartitionsResponse, broker int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	view := f.view(broker)
	for t := range resp.Topics {
		row := &resp.Topics[t]
		if row.Topic == nil || row.ErrorCode != 0 {
			continue
		}
		if slices.Contains(f.views[broker].Hidden, *row.Topic) {
			row.ErrorCode, row.Partitions = unknownTopic, nil
		}
		row.Partitions = slices.DeleteFunc(row.Partitions, func(p kmsg.DescribeTopicPartitionsResponseTopicPartition) bool {
			return slices.Contains(f.views[broker].Hidden, fmt.Sprintf("%s/%d", *row.Topic, p.Partition))
		})
		for i := range row.Partitions {
			out := &row.Partitions[i]
			out.EligibleLeaderReplicas, out.LastKnownELR = []int32{}, []int32{} // the state machine has null, brokers do not
			if p, ok := view.Partition(*row.Topic, out.Partition); ok {
				out.LeaderID, out.LeaderEpoch, out.ErrorCode = shownLeader(p, view)
				out.Replicas, out.ISR, out.OfflineReplicas = p.Replicas, view.ISR(p), view.Offline(p)
			}
		}
	}
}
