package front

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
)

// keepAliveEvery is well below the shortest session timeout that the state machine allows (6 s).
const keepAliveEvery = time.Second

// keepAlive heartbeats for the members of groups whose coordinator is out: the state machine's session timers run on
// while nobody can heartbeat, where a real coordinator starts them anew once it has loaded. Without it a librdkafka
// member with a session of 10 s comes back from a kill of 9 s too early, as one that expired. Who is out changes only
// when something changes; until then no timer runs, since each that ends wakes the process.
func (f *Front) keepAlive() {
	for {
		changed := f.waiting()
		for len(f.orphans()) > 0 {
			select {
			case <-time.After(keepAliveEvery):
			case <-f.closed:
				return
			}
			for _, group := range f.orphans() {
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

// orphans are the groups that no broker serves now.
func (f *Front) orphans() (groups []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.homes {
		if key.Type == wire.Group && f.orphaned(key) {
			groups = append(groups, key.Name)
		}
	}
	return groups
}

func (f *Front) orphaned(key topology.Key) bool {
	node := f.coordinator(f.newest(), key)
	return node < 0 || f.states[node] != clusterpb.BrokerState_UP || time.Now().Before(f.loading[key])
}
