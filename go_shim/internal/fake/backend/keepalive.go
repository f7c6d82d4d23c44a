package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// Evict makes true what a broker says with UNKNOWN_MEMBER_ID: the member of a classic group that asked is out. Else the
// group would wait for it when it joins anew.
func (b *Backend) Evict(asked kmsg.Request) {
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Version = b.version(kmsg.LeaveGroup, 2)
	switch r := asked.(type) {
	case *kmsg.HeartbeatRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.SyncGroupRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.JoinGroupRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.OffsetCommitRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	}
	if leave.MemberID != "" {
		_, _ = b.Ask(b.CoordinatorOf(leave.Group), leave) // who is out already needs no leave
	}
}

// KeepAlive heartbeats once for each member of a classic group, straight at the node that holds it. What a member is
// told (a rebalance is under way, say) it learns by its own next heartbeat.
func (b *Backend) KeepAlive(group string) {
	info := b.kafka.GroupInfo(group)
	if info == nil {
		return
	}
	node := b.CoordinatorOf(group)
	for _, member := range info.Members {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Version = b.version(kmsg.Heartbeat, 3)
		req.Group, req.Generation, req.MemberID, req.InstanceID = group, info.Epoch, member.MemberID, member.InstanceID
		_, _ = b.Ask(node, req) // a cluster that is going down needs no heartbeats
	}
}
