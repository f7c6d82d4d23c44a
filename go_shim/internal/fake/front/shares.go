package front

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Epochs of a share session with a meaning of their own (ShareRequestMetadata.java of 4.4.0).
const (
	sessionBegins = 0
	sessionEnds   = -1
)

// shareMember is a member of a share group, which has one session per broker (KIP-932).
type shareMember struct{ group, member string }

// shareSession has the partitions of a session, in the order in which they came.
type shareSession []wire.SharePartition

// whole returns a ShareFetch with all partitions of its session, of which a request names only those that change. The
// rules and leaderships of the front are asked about each. A renewal of locks fetches nothing.
func (c *conn) whole(req kmsg.Request) kmsg.Request {
	fetch, ok := req.(*kmsg.ShareFetchRequest)
	if !ok || fetch.GroupID == nil || fetch.MemberID == nil || fetch.IsRenewAck {
		return req
	}
	who := shareMember{*fetch.GroupID, *fetch.MemberID}
	session := c.shares[who]
	switch fetch.ShareSessionEpoch {
	case sessionEnds:
		delete(c.shares, who)
		return req
	case sessionBegins:
		session = nil
	}
	for _, named := range wire.SharePartitions(fetch) {
		if !slices.Contains(session, named) {
			session = append(session, named)
		}
	}
	for _, forgotten := range fetch.ForgottenTopicsData {
		session = slices.DeleteFunc(session, func(one wire.SharePartition) bool {
			return one.TopicID == forgotten.TopicID && slices.Contains(forgotten.Partitions, one.Partition)
		})
	}
	c.shares[who] = session
	return wire.WithPartitions(fetch, session)
}

// share serves ShareFetch and ShareAcknowledge. Partitions with a code leave the state machine's session, so that it locks
// no record that the client is not given; the next request brings them back. Each request reaches the state machine, which
// counts the epochs of sessions. As on brokers, a fetch with an error waits for records of the session's other partitions,
// and is answered at once where there is none (SharePartitionManager.processShareFetch of 4.3.1).
func (x *exchange) share(codes wire.Codes) (kmsg.Response, error) {
	rest, left := wire.Cut(x.req, codes)
	if fetch, ok := rest.(*kmsg.ShareFetchRequest); ok && len(codes) > 0 {
		if left == 0 {
			fetch.MaxWaitMillis = 0
		}
		if fetch.ShareSessionEpoch > sessionBegins {
			wire.Forget(fetch, x.req.(*kmsg.ShareFetchRequest), codes)
		}
	}
	resp, err := x.ask(x.conn.broker, rest)
	if err != nil {
		return nil, err
	}
	wire.Add(resp, x.req, codes)
	wire.FillRecords(resp)
	x.conn.front.setHints(resp, x.conn.broker)
	return resp, nil
}
