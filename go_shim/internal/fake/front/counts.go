package front

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
)

// counts are the requests and responses of the brokers, for cross-checks with the relay.
type counts struct {
	mu   sync.Mutex
	seen map[counted]*clusterpb.Count
}

type counted struct {
	broker int32
	api    int16
	client string
}

// maxCounted bounds the memory that client ids from outside can take.
const maxCounted = 4096

func (c *counts) of(broker int32, header wire.Header) *clusterpb.Count {
	key := counted{broker, header.API, header.ClientID}
	if c.seen == nil {
		c.seen = map[counted]*clusterpb.Count{}
	}
	if c.seen[key] == nil {
		if len(c.seen) >= maxCounted {
			return &clusterpb.Count{}
		}
		c.seen[key] = &clusterpb.Count{Broker: broker, Api: int32(header.API), Client: header.ClientID}
	}
	return c.seen[key]
}

func (c *counts) request(broker int32, header wire.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(broker, header).Requests++
}

func (c *counts) response(broker int32, header wire.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(broker, header).Responses++
}

// Counts returns the requests and responses per broker, API and client id so far, sorted.
func (f *Front) Counts() []*clusterpb.Count {
	f.counts.mu.Lock()
	defer f.counts.mu.Unlock()
	var all []*clusterpb.Count
	for _, c := range f.counts.seen {
		all = append(all, &clusterpb.Count{
			Broker: c.Broker, Api: c.Api, Requests: c.Requests, Responses: c.Responses, Client: c.Client,
		})
	}
	slices.SortFunc(all, func(a, b *clusterpb.Count) int {
		return cmp.Or(cmp.Compare(a.Broker, b.Broker), cmp.Compare(a.Api, b.Api), cmp.Compare(a.Client, b.Client))
	})
	return all
}
