package backend

import "github.com/twmb/franz-go/pkg/kmsg"

// told is what the state machine is asked in a request's place. JoinGroup v0 names no rebalance timeout and brokers take
// the session's for it (JoinGroupRequest's constructor in Kafka); the state machine would take none, and throw the
// member out before it can synchronise. The answer of v1 is that of v0.
func told(req kmsg.Request) kmsg.Request {
	join, ok := req.(*kmsg.JoinGroupRequest)
	if !ok || join.Version > 0 {
		return req
	}
	newer := *join
	newer.Version, newer.RebalanceTimeoutMillis = 1, join.SessionTimeoutMillis
	return &newer
}
