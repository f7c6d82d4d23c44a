package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// withRebalanceTimeout returns the request that the state machine receives. JoinGroup v0 has no rebalance timeout and
// brokers use the session timeout for it (JoinGroupRequest's constructor in Kafka); the state machine would use zero
// and remove the member before its SyncGroup. The response of v1 equals that of v0.
func withRebalanceTimeout(req kmsg.Request) kmsg.Request {
	join, ok := req.(*kmsg.JoinGroupRequest)
	if !ok || join.Version > 0 {
		return req
	}
	newer := *join
	newer.Version, newer.RebalanceTimeoutMillis = 1, join.SessionTimeoutMillis
	return &newer
}
