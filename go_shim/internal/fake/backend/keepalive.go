package backend

import "github.com/twmb/franz-go/pkg/kmsg"

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
