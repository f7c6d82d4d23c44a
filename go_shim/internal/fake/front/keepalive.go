package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
)

// keepAliveInterval is well below the shortest session timeout of the state machine (6 s).
const keepAliveInterval = time.Second

// keepAlive sends heartbeats for the members of groups without a coordinator. The state machine's session timers keep
// running while no heartbeat can arrive, where a real coordinator restarts them after loading: without this, a
// librdkafka member with a session of 10 s would have expired after a coordinator kill of 9 s. Coordinators change only
// with the state, so no timer runs in between: every timer wakes the process.
func (f *Front) keepAlive() {
	for {
		changed := f.waiting()
		for len(f.unservedGroups()) > 0 {
			select {
			case <-time.After(keepAliveInterval):
			case <-f.closed:
				return
			}
			for _, group := range f.unservedGroups() {
				f.backend.KeepAlive(group)
			}
		}
		select {
		case <-changed:
		case <-f.closed:
			return
		}
	}
}

// unservedGroups returns the groups that no broker serves now.
func (f *Front) unservedGroups() (groups []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.initialCoordinators {
		if key.Type == wire.Group && f.unserved(key) {
			groups = append(groups, key.Name)
		}
	}
	return groups
}

func (f *Front) unserved(key topology.Key) bool {
	node := f.coordinator(f.newest(), key)
	return node < 0 || f.states[node] != clusterpb.BrokerState_UP || time.Now().Before(f.loading[key])
}
