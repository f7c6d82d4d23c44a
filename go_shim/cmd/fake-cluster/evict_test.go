package main

import (
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestAMemberWithUnknownMemberIDIsRemoved: otherwise its next join, as another member, waits for the old member.
func TestAMemberWithUnknownMemberIDIsRemoved(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	node := r.coordinator("g")
	joined := r.raw(node).ask(joinGroup("")).(*kmsg.JoinGroupResponse)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{Id: "unknown", Apis: []int32{12}, Key: "g", Code: 25, Count: 1}}})
	request := kmsg.NewPtrHeartbeatRequest()
	request.Version, request.Group, request.Generation, request.MemberID = 2, "g", joined.Generation, joined.MemberID
	for range 2 { // the second is the state machine's own answer
		if got := r.raw(node).ask(request).(*kmsg.HeartbeatResponse).ErrorCode; got != unknownMember {
			t.Errorf("heartbeat: %d", got)
		}
	}
	if spent := r.event(clusterpb.Event_SPENT, nil); spent.Text != "unknown" || spent.Broker != node {
		t.Errorf("%+v", spent)
	}
	again := r.raw(node)
	again.send(joinGroup(""))
	resp, err := again.receive(joinGroup(""), time.Second)
	fatal(t, err)
	if resp := resp.(*kmsg.JoinGroupResponse); resp.ErrorCode != 0 || len(resp.Members) != 1 {
		t.Errorf("%+v", resp)
	}
}
