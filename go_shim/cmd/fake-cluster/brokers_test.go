package main

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestAStoppedBrokerReturnsOnItsPort(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	c := r.raw(1)
	c.ask(metadataOf("t"))
	listed := func() int { return len(r.raw(2).ask(metadataOf("t")).(*kmsg.MetadataResponse).Brokers) }
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: clusterpb.BrokerState_STOPPED}))
	if _, err := c.receive(metadataOf("t"), time.Second); !errors.Is(err, io.EOF) {
		t.Errorf("its connection: %v, want it closed", err)
	}
	if conn, err := net.Dial("tcp4", r.brokers[0]); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
	if got := listed(); got != 3 {
		t.Errorf("%d brokers are listed before the announcement", got)
	}
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: clusterpb.BrokerState_STOPPED, Announced: true}))
	_, row := firstPartition(r.raw(3).ask(metadataOf("t")))
	if got := listed(); got != 2 || row.Leader != -1 || row.ErrorCode != 5 || len(row.OfflineReplicas) != 1 {
		t.Errorf("%d brokers are listed, and %+v", got, row)
	}
	r.heal()
	if got := listed(); got != 3 {
		t.Errorf("%d brokers are listed", got)
	}
	r.raw(1).ask(metadataOf("t"))
	r.event(clusterpb.Event_RETURNED, nil)
}

func TestAHungBrokerRespondsAfterItsReturn(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	parked := r.raw(1)
	parked.send(fetchFrom(11, 60_000, -1, "t", 0))
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: clusterpb.BrokerState_HUNG}))
	c := r.raw(1)
	c.send(metadataOf("t"))
	if resp, err := c.receive(metadataOf("t"), 150*time.Millisecond); err == nil {
		t.Errorf("a hung broker answers %+v", resp)
	}
	r.raw(2).ask(metadataOf("t"))
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1}))
	c = r.raw(1)
	c.ask(metadataOf("t"))
}

func TestABrokerThatIsNotListedServes(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	for _, id := range topology.Brokers {
		r.apply(brokerChange(&clusterpb.BrokerState{Broker: id, State: clusterpb.BrokerState_UP, Announced: true}))
	}
	resp := r.raw(1).ask(metadataOf("t")).(*kmsg.MetadataResponse)
	_, row := firstPartition(resp)
	if len(resp.Brokers) != 0 || resp.ControllerID != -1 || row.Leader != -1 || row.ErrorCode != 5 {
		t.Errorf("%d brokers are listed, controller %d, and %+v", len(resp.Brokers), resp.ControllerID, row)
	}
	if codes := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0))); codes[0] != 0 {
		t.Errorf("the leader answers %v", codes)
	}
	r.heal()
	resp = r.raw(1).ask(metadataOf("t")).(*kmsg.MetadataResponse)
	if _, row := firstPartition(resp); len(resp.Brokers) != 3 || row.Leader != 1 {
		t.Errorf("%d brokers are listed after the heal, and %+v", len(resp.Brokers), row)
	}
}

func TestAClusterHasTheGivenID(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9", "--cluster-id", "another")
	r.topic("t", 1)
	if id := r.raw(1).ask(metadataOf("t")).(*kmsg.MetadataResponse).ClusterID; id == nil || *id != "another" {
		t.Errorf("the cluster's id is %v", id)
	}
}
