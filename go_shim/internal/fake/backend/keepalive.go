package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// Evict removes the group member that sent the request, so that an UNKNOWN_MEMBER_ID from a rule is true.
// Otherwise the group would wait for the old member when the client joins again.
func (b *Backend) Evict(request kmsg.Request) {
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Version = b.version(kmsg.LeaveGroup, 2)
	switch r := request.(type) {
	case *kmsg.HeartbeatRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.SyncGroupRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.JoinGroupRequest:
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.OffsetCommitRequest:
		if r.Version >= newCommit {
			if _, anew := b.Epoch(r.Group, r.MemberID); anew {
				b.evictNew(r.Group, r.MemberID)
				return
			}
		}
		leave.Group, leave.MemberID = r.Group, r.MemberID
	case *kmsg.ConsumerGroupHeartbeatRequest:
		b.evictNew(r.Group, r.MemberID)
	case *kmsg.ShareGroupHeartbeatRequest:
		b.evictShare(r.GroupID, r.MemberID)
	}
	if leave.MemberID != "" {
		_, _ = b.Ask(b.CoordinatorOf(leave.Group), leave) // an error means that the member is gone already
	}
}

// KeepAlive renews the session of every member of a group, directly at the node that serves the group.
// Responses such as REBALANCE_IN_PROGRESS are dropped: the member receives them with its own next heartbeat.
func (b *Backend) KeepAlive(group string) {
	info := b.kafka.GroupInfo(group)
	if info == nil {
		return
	}
	b.keepNewAlive(group)
	node := b.CoordinatorOf(group)
	for _, member := range info.Members {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Version = b.version(kmsg.Heartbeat, 3)
		req.Group, req.Generation, req.MemberID, req.InstanceID = group, info.Epoch, member.MemberID, member.InstanceID
		_, _ = b.Ask(node, req) // errors only occur while the cluster closes
	}
}
