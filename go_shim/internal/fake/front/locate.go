package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// findCoordinator answers from the view of the asked broker.
func (f *Front) findCoordinator(req *kmsg.FindCoordinatorRequest, broker int32, codes wire.Codes) kmsg.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
	keys := req.CoordinatorKeys
	if req.Version <= 3 {
		keys = []string{req.CoordinatorKey}
	}
	for i, name := range keys {
		c := f.locate(topology.Key{Type: req.CoordinatorType, Name: name}, broker)
		if code, coded := codes[i]; coded {
			c = kmsg.FindCoordinatorResponseCoordinator{NodeID: -1, Port: -1, ErrorCode: code.Code}
		}
		c.Key = name
		resp.Coordinators = append(resp.Coordinators, c)
	}
	if first := resp.Coordinators; req.Version <= 3 {
		resp.ErrorCode, resp.NodeID, resp.Host, resp.Port = first[0].ErrorCode, first[0].NodeID, first[0].Host, first[0].Port
	}
	return resp
}

func (f *Front) locate(key topology.Key, broker int32) kmsg.FindCoordinatorResponseCoordinator {
	view := f.view(broker)
	node := f.coordinator(view, key)
	if node < 0 || !view.Alive(node) {
		return kmsg.FindCoordinatorResponseCoordinator{NodeID: -1, Port: -1, ErrorCode: coordinatorUnavailable}
	}
	at := f.endpoints[node]
	return kmsg.FindCoordinatorResponseCoordinator{NodeID: node, Host: at.host, Port: at.port}
}

// setHints sets the new leader where a real broker does (KafkaApis.getCurrentLeader): the release and the version have
// the fields, and the broker's own Metadata shows another leader. The state machine's values are removed.
func (f *Front) setHints(resp kmsg.Response, broker int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	api := resp.Key()
	wire.SetHints(resp, func(topic string, id [16]byte, partition int32, code int16) (wire.Hint, bool) {
		coded := code == notLeader || code == fencedEpoch && kmsg.Key(api) == kmsg.Fetch
		if !coded || !f.release.Hints(api, resp.GetVersion()) {
			return wire.Hint{}, false
		}
		view := f.view(broker)
		if topic == "" {
			topic = view.NameOf(id)
		}
		p, ok := view.Partition(topic, partition)
		if ok && p.Leader < 0 && p.Hinted {
			return wire.Hint{Leader: -1, Epoch: p.Epoch}, true
		}
		if !ok || p.Leader < 0 || p.Leader == broker || !view.Alive(p.Leader) {
			return wire.Hint{}, false
		}
		for _, code := range []int16{leaderNotAvailable, rebootstrapRequired} {
			if f.rules.Answers(broker, topic, partition, int32(code), time.Now()) {
				return wire.Hint{}, false // as in Metadata: there is no leader
			}
		}
		at := f.endpoints[p.Leader]
		return wire.Hint{Leader: p.Leader, Epoch: p.Epoch, Host: at.host, Port: at.port}, true
	})
}
