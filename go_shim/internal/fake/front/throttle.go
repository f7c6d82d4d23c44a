package front

import (
	"fmt"
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func checkThrottle(t *clusterpb.Throttle) error {
	if !slices.Contains(topology.Brokers, t.Broker) || len(t.Apis) == 0 || t.ThrottleMs < 0 {
		return fmt.Errorf("throttle of %d ms at broker %d for %d APIs: give a broker from 1 to 3, APIs, and 0 ms or more", t.ThrottleMs, t.Broker, len(t.Apis))
	}
	return nil
}

// throttle sets the throttle time in a response, if a quota of the broker has one for its API, and returns it.
func (f *Front) throttle(broker int32, resp kmsg.Response) time.Duration {
	f.mu.Lock()
	quota := f.quotas[broker]
	f.mu.Unlock()
	if quota == nil || !slices.Contains(quota.Apis, int32(resp.Key())) {
		return 0
	}
	if r, ok := resp.(kmsg.SetThrottleResponse); ok {
		r.SetThrottle(quota.ThrottleMs)
	}
	return time.Duration(quota.ThrottleMs) * time.Millisecond
}

// mute reads nothing for a throttle time, or until the client is gone. A healed quota ends no mute that has begun.
func (c *conn) mute(throttled time.Duration) {
	if throttled == 0 {
		return
	}
	timer := time.NewTimer(throttled)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.gone:
	}
}
