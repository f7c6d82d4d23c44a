package main

import (
	"context"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func throttle(broker, ms int32, apis ...int32) *clusterpb.Change {
	return &clusterpb.Change{Change: &clusterpb.Change_Throttle{Throttle: &clusterpb.Throttle{Broker: broker, Apis: apis, ThrottleMs: ms}}}
}

// TestAThrottledConnectionIsMutedAfterItsResponse, and no other connection is.
func TestAThrottledConnectionIsMutedAfterItsResponse(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.apply(throttle(1, neverMs, int32(kmsg.Produce)))
	if resp := r.raw(1).ask(produceTo(7, -1, "t", 0)).(*kmsg.ProduceResponse); resp.ThrottleMillis != neverMs {
		t.Errorf("throttle time %d", resp.ThrottleMillis)
	}
	r.raw(1).ask(metadataOf("t"))
	const muted = 700 * time.Millisecond
	r.apply(throttle(1, int32(muted.Milliseconds()), int32(kmsg.Produce)))
	c := r.raw(1)
	began := time.Now()
	c.ask(produceTo(7, -1, "t", 0))
	c.ask(metadataOf("t"))
	if time.Since(began) < muted {
		t.Errorf("it was read again after %v", time.Since(began))
	}
	r.heal()
	if resp := c.ask(produceTo(7, -1, "t", 0)).(*kmsg.ProduceResponse); resp.ThrottleMillis != 0 {
		t.Errorf("healed: %d", resp.ThrottleMillis)
	}
}

func TestAThrottleNeedsABrokerAndAPIs(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	for _, change := range []*clusterpb.Change{throttle(0, 1, 0), throttle(1, 1), throttle(1, -1, 0)} {
		if _, err := r.Apply(context.Background(), change); err == nil {
			t.Errorf("%v was accepted", change)
		}
	}
}
