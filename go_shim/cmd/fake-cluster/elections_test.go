package main

import (
	"slices"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	preferred int8 = 0
	unclean   int8 = 1
)

// elect asks broker 2 for an election of one partition and returns the code of its row.
func (r *rig) elect(version int16, kind int8, topic string, partition int32) int16 {
	r.t.Helper()
	req := kmsg.NewPtrElectLeadersRequest()
	req.Version, req.ElectionType = version, kind
	req.Topics = []kmsg.ElectLeadersRequestTopic{{Topic: topic, Partitions: []int32{partition}}}
	return r.raw(2).ask(req).(*kmsg.ElectLeadersResponse).Topics[0].Partitions[0].ErrorCode
}

// led checks that every broker names the leader of t/0, and that it alone serves.
func (r *rig) led(leader int32) {
	r.t.Helper()
	for broker := range int32(3) {
		if _, row := firstPartition(r.raw(broker + 1).ask(metadataOf("t"))); row.Leader != leader {
			r.t.Errorf("broker %d names %d as leader, want %d", broker+1, row.Leader, leader)
		}
		want := int16(6)
		if broker+1 == leader {
			want = 0
		}
		expect(r.t, "a write", produceCodes(r.raw(broker + 1).ask(produceTo(7, -1, "t", 0)))[0], want)
	}
}

// TestAnElectionThatIsNotNeeded leaves leader and epoch as they are.
func TestAnElectionThatIsNotNeeded(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	epoch := r.epochOf(1)
	for version := range int16(3) {
		expect(t, "an election of the preferred leader", r.elect(version, preferred, "t", 0), 84)
	}
	expect(t, "an unclean election", r.elect(2, unclean, "t", 0), 84)
	all := kmsg.NewPtrElectLeadersRequest()
	all.Version = 2
	if resp := r.raw(3).ask(all).(*kmsg.ElectLeadersResponse); resp.ErrorCode != 0 || len(resp.Topics) != 0 {
		t.Errorf("an election of all: %+v", resp)
	}
	r.led(1)
	if now := r.epochOf(1); now != epoch {
		t.Errorf("leader epoch %d, want %d", now, epoch)
	}
}

func TestAClientElectsThePreferredLeader(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	r.apply(leaderChange(moveLeader("t", 0, 3)))
	epoch := r.epochOf(1)
	all := kmsg.NewPtrElectLeadersRequest()
	all.Version = 2
	resp := r.raw(3).ask(all).(*kmsg.ElectLeadersResponse)
	if len(resp.Topics) != 1 || resp.Topics[0].Topic != "t" || len(resp.Topics[0].Partitions) != 1 || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Errorf("%+v", resp)
	}
	r.event(clusterpb.Event_MOVED, func(e *clusterpb.Event) bool { return e.Broker == 1 && e.Topic == "t" })
	r.led(1)
	if now := r.epochOf(1); now != epoch+1 {
		t.Errorf("leader epoch %d, want %d", now, epoch+1)
	}
}

func TestElectionsThatFail(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	expect(t, "an unknown partition", r.elect(2, preferred, "t", 7), 3)
	expect(t, "an unknown topic", r.elect(2, preferred, "none", 0), 3)
	req := kmsg.NewPtrElectLeadersRequest()
	req.Version, req.ElectionType = 2, 7
	expect(t, "an unknown kind", r.raw(1).ask(req).(*kmsg.ElectLeadersResponse).ErrorCode, 42)
	r.apply(leaderChange(moveLeader("t", 0, 3)))
	r.apply(brokerChange(&clusterpb.BrokerState{Broker: 1, State: clusterpb.BrokerState_STOPPED, Announced: true}))
	expect(t, "a preferred leader that is down", r.elect(2, preferred, "t", 0), 80)
	if _, row := firstPartition(r.raw(2).ask(metadataOf("t"))); row.Leader != 3 {
		t.Errorf("%+v", row)
	}
}

func TestAnUncleanElection(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.apply(leaderChange(moveLeader("t", 0, -1)))
	expect(t, "with a replica that is up", r.elect(2, unclean, "t", 0), 0)
	r.led(1)
	c := r.raw(2)
	expect(t, "a topic on broker 1 alone", c.ask(assigned("alone", []int32{1})).(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode, 0)
	r.apply(&clusterpb.Change{Change: &clusterpb.Change_Evacuate{Evacuate: &clusterpb.Evacuate{Broker: 1, Leaves: true}}})
	code, row := firstPartition(c.ask(metadataOf("alone")))
	if code != 0 || row.Leader != -1 || !slices.Equal(row.Replicas, []int32{1}) {
		t.Errorf("%d, %+v", code, row)
	}
	expect(t, "without one", r.elect(2, unclean, "alone", 0), 83)
}
