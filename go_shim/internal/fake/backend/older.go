package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// epochsSince is the lowest version of OffsetForLeaderEpoch in the state machine. Brokers up to 3.9 serve it from 0,
// those of 4.x from 2, which is the one that librdkafka sends.
const epochsSince = 3

// served returns the request that the state machine receives in place of a version that it does not serve as brokers
// do. The responses differ in nothing but fields that the older version leaves out.
func served(req kmsg.Request) kmsg.Request {
	switch r := req.(type) {
	case *kmsg.JoinGroupRequest:
		return withRebalanceTimeout(r)
	case *kmsg.OffsetForLeaderEpochRequest:
		if r.Version < epochsSince {
			newer := *r
			newer.Version, newer.ReplicaID = epochsSince, -1 // from a consumer
			return &newer
		}
	}
	return req
}

// withRebalanceTimeout completes JoinGroup v0, which has no rebalance timeout: brokers use the session timeout for it
// (JoinGroupRequest's constructor in Kafka); the state machine would use zero and remove the member before its
// SyncGroup.
func withRebalanceTimeout(join *kmsg.JoinGroupRequest) kmsg.Request {
	if join.Version > 0 {
		return join
	}
	newer := *join
	newer.Version, newer.RebalanceTimeoutMillis = 1, join.SessionTimeoutMillis
	return &newer
}
