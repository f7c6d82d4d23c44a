package front

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Member epochs with a meaning of their own (ConsumerGroupHeartbeatRequest.java of 4.4.0).
const (
	joining       = 0
	leavingStatic = -2
	firstOwnID    = 1 // the first version of ConsumerGroupHeartbeat whose clients make their member id (KIP-1082)
)

// refuseMember answers what brokers refuse to members of the new group protocol (KIP-848) and the state machine does
// not: a heartbeat that says nothing possible, and a commit of another epoch. A classic member that joins a group of the
// new protocol is refused, too, where brokers convert it: the state machine would give its partitions out twice. Without a
// response the request is to be executed.
func (x *exchange) refuseMember() (kmsg.Response, error) {
	switch req := x.req.(type) {
	case *kmsg.ConsumerGroupHeartbeatRequest:
		text := heartbeatFault(req)
		if text == "" {
			return nil, nil
		}
		resp, err := wire.Shape(req, invalidRequest)
		if err == nil {
			resp.(*kmsg.ConsumerGroupHeartbeatResponse).ErrorMessage = &text
		}
		return resp, err
	case *kmsg.JoinGroupRequest:
		if x.conn.front.backend.IsNew(req.Group) {
			return wire.Shape(req, inconsistentProtocol)
		}
	case *kmsg.OffsetCommitRequest:
		front := x.conn.front
		if front.release.RelaxesCommits() || req.Generation < 0 || req.MemberID == "" {
			return nil, nil
		}
		if epoch, anew := front.backend.Epoch(req.Group, req.MemberID); anew && epoch != req.Generation {
			return wire.Shape(req, staleMemberEpoch)
		}
	}
	return nil, nil
}

// heartbeatFault returns what brokers say to a heartbeat that they answer INVALID_REQUEST (42); empty if it is valid
// (GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid).
func heartbeatFault(req *kmsg.ConsumerGroupHeartbeatRequest) string {
	switch {
	case req.Group == "":
		return "GroupId can't be empty."
	case req.InstanceID != nil && *req.InstanceID == "":
		return "InstanceId can't be empty."
	case req.RackID != nil && *req.RackID == "":
		return "RackId can't be empty."
	case req.MemberID == "" && (req.Version >= firstOwnID || req.MemberEpoch != joining):
		return "MemberId can't be empty."
	}
	switch {
	case req.MemberEpoch < leavingStatic:
		return "MemberEpoch is invalid."
	case req.MemberEpoch == leavingStatic && req.InstanceID == nil:
		return "InstanceId can't be null."
	case req.MemberEpoch != joining:
		return ""
	case req.RebalanceTimeoutMillis == -1:
		return "RebalanceTimeoutMs must be provided in first request."
	case req.Topics == nil || len(req.Topics) > 0:
		return "TopicPartitions must be empty when (re-)joining."
	case len(req.SubscribedTopicNames) == 0 && (req.SubscribedTopicRegex == nil || *req.SubscribedTopicRegex == ""):
		return "Either SubscribedTopicNames or SubscribedTopicRegex must be set when (re-)joining."
	}
	return ""
}
