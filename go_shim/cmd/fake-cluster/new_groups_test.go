package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	fencedMemberEpoch    = 110
	unreleasedInstanceID = 111
	staleMemberEpoch     = 113
)

// memberHeartbeat is a full heartbeat of member `id` of group g, which reads topic t.
func memberHeartbeat(id string, epoch int32) *kmsg.ConsumerGroupHeartbeatRequest {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Version, req.Group, req.MemberID, req.MemberEpoch = 1, "g", id, epoch
	req.RebalanceTimeoutMillis, req.SubscribedTopicNames = 30_000, []string{"t"}
	req.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	return req
}

// kept is the heartbeat of a member that has what it was given last.
func kept(id string, given *kmsg.ConsumerGroupHeartbeatResponse) *kmsg.ConsumerGroupHeartbeatRequest {
	req := memberHeartbeat(id, given.MemberEpoch)
	for _, topic := range given.Assignment.Topics {
		req.Topics = append(req.Topics, kmsg.ConsumerGroupHeartbeatRequestTopic{TopicID: topic.TopicID, Partitions: topic.Partitions})
	}
	return req
}

func (r *rig) tellsGroup(req *kmsg.ConsumerGroupHeartbeatRequest) *kmsg.ConsumerGroupHeartbeatResponse {
	r.t.Helper()
	return r.raw(r.coordinator("g")).ask(req).(*kmsg.ConsumerGroupHeartbeatResponse)
}

func (r *rig) commits(id string, epoch int32) int16 {
	r.t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Version, req.Group, req.MemberID, req.Generation = 9, "g", id, epoch
	req.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetCommitRequestTopicPartition{{}}}}
	return r.raw(r.coordinator("g")).ask(req).(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode
}

func (r *rig) fetchesOffsets(id string, epoch int32) int16 {
	r.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Version = 9
	group := kmsg.NewOffsetFetchRequestGroup()
	group.Group, group.MemberID, group.MemberEpoch = "g", &id, epoch
	group.Topics = []kmsg.OffsetFetchRequestGroupTopic{{Topic: "t", Partitions: []int32{0}}}
	req.Groups = []kmsg.OffsetFetchRequestGroup{group}
	return r.raw(r.coordinator("g")).ask(req).(*kmsg.OffsetFetchResponse).Groups[0].ErrorCode
}

// TestTheNewProtocolIsOffBefore4: K2, the line advertises the API, and answers 35.
func TestTheNewProtocolIsOffBefore4(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	req := memberHeartbeat("", 0)
	req.Version = 0
	if got := r.tellsGroup(req).ErrorCode; got != 35 {
		t.Errorf("%d", got)
	}
}

// TestAMemberKeepsItsEpochWhenItsCoordinatorMoves: K12, nobody joins again.
func TestAMemberKeepsItsEpochWhenItsCoordinatorMoves(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1, 2)
	given := r.tellsGroup(memberHeartbeat("a", 0))
	old := r.coordinator("g")
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: old%3 + 1}))
	if got := r.raw(old).ask(kept("a", given)).(*kmsg.ConsumerGroupHeartbeatResponse).ErrorCode; got != 16 {
		t.Errorf("the old one: %d", got)
	}
	if again := r.tellsGroup(kept("a", given)); again.ErrorCode != 0 || again.MemberEpoch != given.MemberEpoch {
		t.Errorf("the new one: %+v", again)
	}
}

// TestAnInstanceIDIsReleasedByItsMember: K8, 111 until the session ends, and K9, at once after the leave with -2.
func TestAnInstanceIDIsReleasedByItsMember(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	static := func(id string, epoch int32) *kmsg.ConsumerGroupHeartbeatRequest {
		req := memberHeartbeat(id, epoch)
		req.InstanceID = kmsg.StringPtr("i")
		return req
	}
	if got := r.tellsGroup(static("a", 0)).ErrorCode; got != 0 {
		t.Fatalf("%d", got)
	}
	if got := r.tellsGroup(static("b", 0)).ErrorCode; got != unreleasedInstanceID {
		t.Errorf("%d", got)
	}
	nameless := r.tellsGroup(memberHeartbeat("a", -2)) // as franz-go 1.22.3 leaves
	if nameless.ErrorCode != 42 || nameless.ErrorMessage == nil || *nameless.ErrorMessage != "InstanceId can't be null." {
		t.Errorf("%+v", nameless)
	}
	if got := r.tellsGroup(static("b", 0)).ErrorCode; got != unreleasedInstanceID {
		t.Errorf("after a leave that was refused: %d", got)
	}
	if got := r.tellsGroup(static("a", -2)).ErrorCode; got != 0 {
		t.Errorf("%d", got)
	}
	if got := r.tellsGroup(static("b", 0)).ErrorCode; got != 0 {
		t.Errorf("after the leave: %d", got)
	}
}

// TestHeartbeatsThatSayNothingPossible are answered INVALID_REQUEST.
func TestHeartbeatsThatSayNothingPossible(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	for name, change := range map[string]func(*kmsg.ConsumerGroupHeartbeatRequest){
		"no member id":    func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.MemberID = "" },
		"epoch -3":        func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.MemberEpoch = -3 },
		"no time-out":     func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.RebalanceTimeoutMillis = -1 },
		"no subscription": func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.SubscribedTopicNames = nil },
		"null partitions": func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.Topics = nil },
		"empty instance":  func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.InstanceID = kmsg.StringPtr("") },
		"empty rack":      func(req *kmsg.ConsumerGroupHeartbeatRequest) { req.RackID = kmsg.StringPtr("") },
		"partitions of it": func(req *kmsg.ConsumerGroupHeartbeatRequest) {
			req.Topics = append(req.Topics, kmsg.ConsumerGroupHeartbeatRequestTopic{})
		},
	} {
		req := memberHeartbeat("a", 0)
		change(req)
		if got := r.tellsGroup(req).ErrorCode; got != 42 {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// TestEpochsThatAreNotTheMembers: 110 to a heartbeat, 113 to OffsetFetch; a fenced member joins again by epoch 0 in place.
func TestEpochsThatAreNotTheMembers(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	given := r.tellsGroup(memberHeartbeat("a", 0))
	wrong := kept("a", given)
	wrong.MemberEpoch += 5
	if got := r.tellsGroup(wrong).ErrorCode; got != fencedMemberEpoch {
		t.Errorf("heartbeat: %d", got)
	}
	for epoch, want := range map[int32]int16{given.MemberEpoch: 0, given.MemberEpoch + 5: staleMemberEpoch} {
		if got := r.fetchesOffsets("a", epoch); got != want {
			t.Errorf("offset fetch of epoch %d: %d", epoch, got)
		}
		if got := r.commits("a", epoch); got != want {
			t.Errorf("commit of epoch %d: %d", epoch, got)
		}
	}
	if got := r.commits("stranger", given.MemberEpoch); got != unknownMember {
		t.Errorf("commit of a stranger: %d", got)
	}
	if again := r.tellsGroup(memberHeartbeat("a", 0)); again.ErrorCode != 0 || len(again.Assignment.Topics) != 1 {
		t.Errorf("%+v", again)
	}
}

// TestACommitOfAnOlderEpoch is taken from 4.3 on for what the member kept (KIP-1251); before it is answered 113.
func TestACommitOfAnOlderEpoch(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int16{"4.0": staleMemberEpoch, "4.2": staleMemberEpoch, "4.3": 0, "4.4": 0} {
		r := start(t, line)
		r.topic("t", 1, 2)
		first := r.tellsGroup(memberHeartbeat("a", 0))
		if got := r.tellsGroup(memberHeartbeat("b", 0)).ErrorCode; got != 0 {
			t.Fatalf("%s: %d", line, got)
		}
		less := r.tellsGroup(kept("a", first)) // one partition is to be given up
		newer := r.tellsGroup(kept("a", less))
		if newer.MemberEpoch <= first.MemberEpoch {
			t.Fatalf("%s: epoch %d after %d", line, newer.MemberEpoch, first.MemberEpoch)
		}
		mine := less.Assignment.Topics[0].Partitions[0]
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Version, req.Group, req.MemberID, req.Generation = 9, "g", "a", first.MemberEpoch
		req.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Partition: mine}}}}
		got := r.raw(r.coordinator("g")).ask(req).(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode
		if got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

// TestANewMemberWithUnknownMemberIDIsRemoved, whatever request the rule answered.
func TestANewMemberWithUnknownMemberIDIsRemoved(t *testing.T) {
	t.Parallel()
	for _, api := range []int32{68, 8} {
		r := start(t, "4.4")
		r.topic("t", 1)
		given := r.tellsGroup(memberHeartbeat("a", 0))
		r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{Id: "unknown", Apis: []int32{api}, Key: "g", Code: 25, Count: 1}}})
		if api == 8 {
			if got := r.commits("a", given.MemberEpoch); got != unknownMember {
				t.Errorf("commit: %d", got)
			}
		} else if got := r.tellsGroup(kept("a", given)).ErrorCode; got != unknownMember {
			t.Errorf("heartbeat: %d", got)
		}
		if got := r.tellsGroup(kept("a", given)).ErrorCode; got != unknownMember {
			t.Errorf("API %d, the state machine's own answer: %d", api, got)
		}
	}
}

// TestNoGroupIsMixed, unlike at brokers (K5 to K7): each protocol refuses a group of the other one.
func TestNoGroupIsMixed(t *testing.T) {
	t.Parallel()
	r := start(t, "4.4")
	r.topic("t", 1)
	if got := r.tellsGroup(memberHeartbeat("a", 0)).ErrorCode; got != 0 {
		t.Fatalf("%d", got)
	}
	if got := r.joins("g", r.coordinator("g")); got != 23 {
		t.Errorf("a classic member: %d", got)
	}
	other := start(t, "4.4")
	other.topic("t", 1)
	if got := other.joins("g", other.coordinator("g")); got != 0 {
		t.Fatalf("%d", got)
	}
	if got := other.tellsGroup(memberHeartbeat("a", 0)).ErrorCode; got != 69 {
		t.Errorf("a new member: %d", got)
	}
}
