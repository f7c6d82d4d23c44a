package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Hint is a row's information on the new leader (KIP-951). Leader -1 = the replica knows of none; it has no endpoint.
type Hint struct {
	Leader, Epoch int32
	Host          string
	Port          int32
}

// Hints returns the hint for a row with an error code; false for none.
type Hints func(topic string, id [16]byte, partition int32, code int16) (Hint, bool)

// SetHints replaces the new leaders in a response. The state machine fills them in for every release and from its own
// state, a broker only in new releases and from its own metadata.
func SetHints(resp kmsg.Response, hints Hints) {
	nodes := map[int32]Hint{}
	row := func(topic string, id [16]byte, partition int32, code int16) (leader, epoch int32) {
		hint, ok := hints(topic, id, partition, code)
		if !ok {
			return -1, -1
		}
		if hint.Leader >= 0 {
			nodes[hint.Leader] = hint
		}
		return hint.Leader, hint.Epoch
	}
	switch r := resp.(type) {
	case *kmsg.ProduceResponse:
		for _, t := range r.Topics {
			for i := range t.Partitions {
				p := &t.Partitions[i]
				p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = row(t.Topic, t.TopicID, p.Partition, p.ErrorCode)
			}
		}
		r.Brokers = nil
		for id, hint := range nodes {
			r.Brokers = append(r.Brokers, kmsg.ProduceResponseBroker{NodeID: id, Host: hint.Host, Port: hint.Port})
		}
	case *kmsg.FetchResponse:
		for _, t := range r.Topics {
			for i := range t.Partitions {
				p := &t.Partitions[i]
				p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = row(t.Topic, t.TopicID, p.Partition, p.ErrorCode)
			}
		}
		r.Brokers = nil
		for id, hint := range nodes {
			r.Brokers = append(r.Brokers, kmsg.FetchResponseBroker{NodeID: id, Host: hint.Host, Port: hint.Port})
		}
	case *kmsg.ShareFetchResponse:
		for _, t := range r.Topics {
			for i := range t.Partitions {
				p := &t.Partitions[i]
				p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = row("", t.TopicID, p.Partition, p.ErrorCode)
			}
		}
		r.NodeEndpoints = nil
		for id, hint := range nodes {
			r.NodeEndpoints = append(r.NodeEndpoints, kmsg.ShareFetchResponseNodeEndpoint{NodeID: id, Host: hint.Host, Port: hint.Port})
		}
	case *kmsg.ShareAcknowledgeResponse:
		for _, t := range r.Topics {
			for i := range t.Partitions {
				p := &t.Partitions[i]
				p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = row("", t.TopicID, p.Partition, p.ErrorCode)
			}
		}
		r.NodeEndpoints = nil
		for id, hint := range nodes {
			r.NodeEndpoints = append(r.NodeEndpoints, kmsg.ShareAcknowledgeResponseNodeEndpoint{NodeID: id, Host: hint.Host, Port: hint.Port})
		}
	}
}

// FetchFull reports whether a Fetch response may be sent before the client's wait is over: it has an error or enough
// bytes.
func FetchFull(resp *kmsg.FetchResponse, minBytes int32) bool {
	size := 0
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return true
			}
			size += len(p.RecordBatches)
		}
	}
	return resp.ErrorCode != 0 || size >= int(minBytes)
}

// ProduceFailed reports whether any row of a Produce response is an error.
func ProduceFailed(resp *kmsg.ProduceResponse) bool {
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return true
			}
		}
	}
	return false
}
