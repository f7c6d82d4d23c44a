package main

import (
	"context"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (r *rig) coordinator(group string) int32 {
	r.t.Helper()
	reply, err := r.Coordinator(context.Background(), &clusterpb.CoordinatorQuestion{Key: group})
	fatal(r.t, err)
	return reply.Broker
}

func (r *rig) heartbeats(group string, broker int32) int16 {
	r.t.Helper()
	return r.raw(broker).ask(heartbeat(group)).(*kmsg.HeartbeatResponse).ErrorCode
}

// unknownMember is the response of a serving coordinator to an unknown member.
const unknownMember = 25

func (r *rig) joins(group string, broker int32) int16 {
	req := joinGroup("")
	req.Group = group
	return r.raw(broker).ask(req).(*kmsg.JoinGroupResponse).ErrorCode
}

// TestLoadingInOldRequestVersions: heartbeats succeed, a sync gets 27, TxnOffsetCommit before v2 gets 15.
func TestLoadingInOldRequestVersions(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	g := r.coordinator("g")
	joined := r.raw(g).ask(joinGroup("")).(*kmsg.JoinGroupResponse)
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Version, sync.Group, sync.Generation, sync.MemberID = 2, "g", joined.Generation, joined.MemberID
	if got := r.raw(g).ask(sync).(*kmsg.SyncGroupResponse).ErrorCode; got != 0 {
		t.Fatalf("sync: %d", got)
	}
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: g, LoadingMs: 60_000}))
	request := kmsg.NewPtrHeartbeatRequest()
	request.Version, request.Group, request.Generation, request.MemberID = 2, "g", joined.Generation, joined.MemberID
	if got := r.raw(g).ask(request).(*kmsg.HeartbeatResponse).ErrorCode; got != 0 {
		t.Errorf("heartbeat: %d", got)
	}
	if got := r.raw(g).ask(sync).(*kmsg.SyncGroupResponse).ErrorCode; got != 27 {
		t.Errorf("sync: %d", got)
	}
	for version, want := range map[int16]int16{1: 15, 2: 14} {
		commit := kmsg.NewPtrTxnOffsetCommitRequest()
		commit.Version, commit.TransactionalID, commit.Group = version, "x", "g"
		commit.Topics = []kmsg.TxnOffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{{}}}}
		got := r.raw(g).ask(commit).(*kmsg.TxnOffsetCommitResponse).Topics[0].Partitions[0].ErrorCode
		if got != want {
			t.Errorf("txn offset commit v%d: %d, want %d", version, got, want)
		}
	}
}

func TestACoordinatorMovesAlone(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	g, bystander := r.coordinator("g"), r.coordinator("h")
	to, third := g%3+1, (g+1)%3+1
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: to, LoadingMs: 150}))
	if got := r.heartbeats("g", g); got != 16 {
		t.Errorf("the old one: %d", got)
	}
	if got := r.heartbeats("g", third); got != 16 {
		t.Errorf("another: %d", got)
	}
	if got := r.joins("g", to); got != 14 {
		t.Errorf("the new one: %d", got)
	}
	found := r.raw(third).ask(findGroup("g")).(*kmsg.FindCoordinatorResponse)
	if found.NodeID != to || found.ErrorCode != 0 || found.Host != "127.0.0.1" {
		t.Errorf("%+v", found)
	}
	if got := r.heartbeats("h", bystander); r.coordinator("h") != bystander || got != unknownMember {
		t.Errorf("the bystander: %d", got)
	}
	eventually(t, "the end of loading", func() bool { return r.joins("g", to) == 0 })
}

func TestAKeyWithoutACoordinatorForATime(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	g := r.coordinator("g")
	to := g%3 + 1
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: to, GoneMs: 150}))
	found := r.raw(to).ask(findGroup("g")).(*kmsg.FindCoordinatorResponse)
	if found.ErrorCode != 15 || found.NodeID != -1 || r.heartbeats("g", g) != 15 || r.has(clusterpb.Event_MOVED) {
		t.Errorf("%+v, heartbeat %d", found, r.heartbeats("g", g))
	}
	if announced := r.event(clusterpb.Event_ANNOUNCED, nil); announced.Broker != to || announced.Key != "g" {
		t.Errorf("%v", announced)
	}
	if got := r.heartbeats("g", to); got != unknownMember {
		t.Errorf("%d", got)
	}
}

func TestHealEndsAnAbsence(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	to := r.coordinator("g")%3 + 1
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: to, GoneMs: 60_000, LoadingMs: 60_000}))
	r.heal()
	if got := r.heartbeats("g", to); got != unknownMember {
		t.Errorf("%d", got)
	}
}

func joinGroup(member string) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version, req.Group, req.MemberID, req.ProtocolType = 3, "g", member, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 10_000, 30_000
	req.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range"}}
	return req
}

// TestAParkedJoinIsWoken: a second member's join waits for the first member to rejoin, until the coordinator moves.
func TestAParkedJoinIsWoken(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	g := r.coordinator("g")
	first := r.raw(g).ask(joinGroup("")).(*kmsg.JoinGroupResponse)
	if first.ErrorCode != 0 {
		t.Fatalf("%+v", first)
	}
	second := r.raw(g)
	second.send(joinGroup(""))
	if resp, err := second.receive(joinGroup(""), 100*time.Millisecond); err == nil {
		t.Fatalf("not parked: %+v", resp)
	}
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: g%3 + 1}))
	resp, err := second.receive(joinGroup(""), waitLimit)
	fatal(t, err)
	if resp.(*kmsg.JoinGroupResponse).ErrorCode != 16 {
		t.Errorf("%+v", resp)
	}
}

// TestOffsetsOfAnUnknownGroup are rows with -1 and no error in every version, and metadata is never null.
func TestOffsetsOfAnUnknownGroup(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	c := r.raw(r.coordinator("g"))
	for version := int16(1); version <= 9; version++ {
		req := kmsg.NewPtrOffsetFetchRequest()
		req.Version, req.Group = version, "g"
		req.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: "t", Partitions: []int32{0}}}
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = "g"
		group.Topics = []kmsg.OffsetFetchRequestGroupTopic{{Topic: "t", Partitions: []int32{0}}}
		req.Groups = []kmsg.OffsetFetchRequestGroup{group}
		resp := c.ask(req).(*kmsg.OffsetFetchResponse)
		code, topics := resp.ErrorCode, len(resp.Topics)
		var offset int64
		var metadata *string
		if version < 8 && topics == 1 {
			row := resp.Topics[0].Partitions[0]
			offset, metadata = row.Offset, row.Metadata
		} else if version >= 8 && len(resp.Groups) == 1 && len(resp.Groups[0].Topics) == 1 {
			row := resp.Groups[0].Topics[0].Partitions[0]
			code, offset, metadata = resp.Groups[0].ErrorCode, row.Offset, row.Metadata
		}
		if code != 0 || offset != -1 || metadata == nil || *metadata != "" {
			t.Errorf("v%d: %+v", version, resp)
		}
	}
}

func TestRulesAboutKeys(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	node := r.coordinator("g")
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{
		{Id: "commit", Apis: []int32{8}, Key: "g", Code: 14, Count: 1}, {Id: "find", Apis: []int32{10}, Key: "g", Code: 15, Count: 1},
		{Id: "init", Apis: []int32{22}, Key: "x", Code: 51, Count: 1},
	}})
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Version, commit.Group, commit.Generation = 7, "g", -1
	commit.Topics = []kmsg.OffsetCommitRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Partition: 4}}}}
	row := r.raw(node).ask(commit).(*kmsg.OffsetCommitResponse).Topics[0]
	if row.Topic != "t" || row.Partitions[0].Partition != 4 || row.Partitions[0].ErrorCode != 14 {
		t.Errorf("%+v", row)
	}
	for _, want := range []int16{15, 0} {
		if got := r.raw(1).ask(findGroup("g")).(*kmsg.FindCoordinatorResponse).ErrorCode; got != want {
			t.Errorf("find coordinator: %d, want %d", got, want)
		}
	}
	init := kmsg.NewPtrInitProducerIDRequest()
	init.Version, init.TransactionalID, init.TransactionTimeoutMillis = 2, kmsg.StringPtr("x"), 10_000
	reply, err := r.Coordinator(context.Background(), &clusterpb.CoordinatorQuestion{KeyType: 1, Key: "x"})
	fatal(t, err)
	for _, want := range []int16{51, 0} {
		if got := r.raw(reply.Broker).ask(init).(*kmsg.InitProducerIDResponse).ErrorCode; got != want {
			t.Errorf("init producer id: %d, want %d", got, want)
		}
	}
}
