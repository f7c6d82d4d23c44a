package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// newCommit is the first version of OffsetCommit that a member of a group of the new protocol can send (KIP-848).
const newCommit = 9

// Epoch returns the epoch of a member of a group of the new protocol (KIP-848); false if there is no such member.
func (b *Backend) Epoch(group, member string) (int32, bool) {
	for _, found := range b.newMembers(group) {
		if found.MemberID == member {
			return found.MemberEpoch, true
		}
	}
	return 0, false
}

// IsNew reports whether a group has members of the new protocol.
func (b *Backend) IsNew(group string) bool { return len(b.newMembers(group)) > 0 }

func (b *Backend) newMembers(group string) []kmsg.ConsumerGroupDescribeResponseGroupMember {
	if b.release.Disabled(int16(kmsg.ConsumerGroupHeartbeat)) {
		return nil
	}
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = []string{group}
	resp, err := b.Ask(b.CoordinatorOf(group), req)
	if err != nil { // only while the cluster closes
		return nil
	}
	var members []kmsg.ConsumerGroupDescribeResponseGroupMember
	for _, found := range resp.(*kmsg.ConsumerGroupDescribeResponse).Groups {
		members = append(members, found.Members...)
	}
	return members
}

// evictNew removes a member of the new protocol.
func (b *Backend) evictNew(group, member string) {
	leave := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	leave.Version, leave.Group, leave.MemberID, leave.MemberEpoch = 1, group, member, -1
	_, _ = b.Ask(b.CoordinatorOf(group), leave) // an error means that the member is gone already
}

// evictShare removes a member of a share group (KIP-932).
func (b *Backend) evictShare(group, member string) {
	leave := kmsg.NewPtrShareGroupHeartbeatRequest()
	leave.Version, leave.GroupID, leave.MemberID, leave.MemberEpoch = 1, group, member, -1
	_, _ = b.Ask(b.CoordinatorOf(group), leave) // an error means that the member is gone already
}

// keepNewAlive renews the sessions of the members of the new protocol by commits of nothing: the answer to a heartbeat
// could carry an assignment, which would be lost.
func (b *Backend) keepNewAlive(group string) {
	for _, member := range b.newMembers(group) {
		commit := kmsg.NewPtrOffsetCommitRequest()
		commit.Version, commit.Group = newCommit, group
		commit.MemberID, commit.Generation = member.MemberID, member.MemberEpoch
		_, _ = b.Ask(b.CoordinatorOf(group), commit) // errors only occur while the cluster closes
	}
}
