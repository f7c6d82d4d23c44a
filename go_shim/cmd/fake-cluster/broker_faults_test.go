package main

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestRecordsOfALostResponseAreAppended(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	lose := rule(0, 0)
	lose.Action, lose.Count = clusterpb.Action_LOSE, 1
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{lose}})
	c := r.raw(1)
	if codes := produceCodes(c.ask(produceTo(7, -1, "t", 1))); codes[1] != 0 {
		t.Errorf("the bystander: %v", codes)
	}
	c.send(produceTo(7, -1, "t", 0))
	if _, err := c.receive(produceTo(7, -1, "t", 0), time.Second); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the connection closed", err)
	}
	if codes := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0))); codes[0] != 0 {
		t.Errorf("the next one: %v", codes)
	}
	if stored := r.stored("t", 0); len(stored) != 2 {
		t.Errorf("%v", stored)
	}
}

func TestABrokerThatListensAgainAndHangs(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	for _, state := range []clusterpb.BrokerState_State{clusterpb.BrokerState_STOPPED, clusterpb.BrokerState_HUNG} {
		r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: state}))
	}
	c := r.raw(1)
	c.send(metadataOf("t"))
	if resp, err := c.receive(metadataOf("t"), 150*time.Millisecond); err == nil {
		t.Errorf("it answers %+v", resp)
	}
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: clusterpb.BrokerState_STOPPED}))
	if _, err := c.receive(metadataOf("t"), time.Second); err == nil {
		t.Error("its connection is still open")
	}
	r.heal()
	r.raw(1).ask(metadataOf("t"))
}

func TestNewAddresses(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	change := &clusterpb.Readdress{Advertise: []string{"127.0.0.1:11", "127.0.0.1:12", "127.0.0.1:13"}}
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_Readdress{Readdress: change}})
	for i, broker := range r.raw(2).ask(metadataOf("t")).(*kmsg.MetadataResponse).Brokers {
		if broker.Port != int32(11+i) {
			t.Errorf("broker %d: port %d", broker.NodeID, broker.Port)
		}
	}
	if at := r.raw(3).ask(findGroup("g")).(*kmsg.FindCoordinatorResponse); at.Port != at.NodeID+10 {
		t.Errorf("coordinator %d: port %d", at.NodeID, at.Port)
	}
}
