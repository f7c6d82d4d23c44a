package front

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
)

// counts is what the brokers saw, for cross-checks with the relay.
type counts struct {
	mu   sync.Mutex
	seen map[[2]int32]*clusterpb.Count
}

func (c *counts) of(broker int32, api int16) *clusterpb.Count {
	key := [2]int32{broker, int32(api)}
	if c.seen == nil {
		c.seen = map[[2]int32]*clusterpb.Count{}
	}
	if c.seen[key] == nil {
		c.seen[key] = &clusterpb.Count{Broker: broker, Api: int32(api)}
	}
	return c.seen[key]
}

func (c *counts) request(broker int32, api int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(broker, api).Requests++
}

func (c *counts) response(broker int32, api int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(broker, api).Responses++
}

// Counts returns the requests and answers of each broker and API so far, sorted.
func (f *Front) Counts() []*clusterpb.Count {
	f.counts.mu.Lock()
	defer f.counts.mu.Unlock()
	var all []*clusterpb.Count
	for _, c := range f.counts.seen {
		all = append(all, &clusterpb.Count{Broker: c.Broker, Api: c.Api, Requests: c.Requests, Responses: c.Responses})
	}
	slices.SortFunc(all, func(a, b *clusterpb.Count) int {
		return cmp.Or(cmp.Compare(a.Broker, b.Broker), cmp.Compare(a.Api, b.Api))
	})
	return all
}
