package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestARolledBackBrokerClosesOnNewerVersions, advertises its ranges in ApiVersions, and is restored by Heal.
func TestARolledBackBrokerClosesOnNewerVersions(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	back := &clusterpb.Change{Change: &clusterpb.Change_RollBack{RollBack: &clusterpb.RollBack{Broker: 1, Line: "2.6"}}}
	newest := func(broker int32) int16 {
		req := kmsg.NewPtrApiVersionsRequest()
		req.Version = 2
		for _, api := range r.raw(broker).ask(req).(*kmsg.ApiVersionsResponse).ApiKeys {
			if api.ApiKey == int16(kmsg.Metadata) {
				return api.MaxVersion
			}
		}
		return -1
	}
	before := newest(1)
	r.inject(&clusterpb.Fault{Changes: []*clusterpb.Timed{{Change: back, FromStart: true}}})
	if got := newest(1); got != 9 {
		t.Errorf("rolledBack back: Metadata %d", got)
	}
	if got := newest(2); got != before {
		t.Errorf("another broker: Metadata %d", got)
	}
	unknown := metadataOf("t")
	unknown.Version = 10
	c := r.raw(1)
	c.send(unknown)
	if resp, err := c.receive(unknown, waitLimit); err == nil {
		t.Errorf("answered: %+v", resp)
	}
	r.heal()
	if got := newest(1); got != before {
		t.Errorf("healed: Metadata %d, want %d", got, before)
	}
}
