package front

import (
	"slices"
	"sync"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Epochs of a share session with a meaning of their own (ShareRequestMetadata.java of 4.4.0).
const (
	sessionBegins = 0
	sessionEnds   = -1
)

// lockRenewals is the first version of ShareFetch that may renew locks, and fetches nothing then (KIP-1222).
const lockRenewals = 2

// shareKey names a session: a member of a share group has one per broker, on any of its connections (KIP-932).
type shareKey struct {
	group, member string
	broker        int32
}

// shareSession is a session as requests left it.
type shareSession struct {
	partitions []wire.SharePartition // in the order in which they came
	next       int32                 // the epoch of its next request
	added      int32                 // requests that the front added: the state machine's epoch is ahead by these
	owner      *conn                 // whose end ends it
}

// shareSessions has the sessions of all brokers.
type shareSessions struct {
	mu   sync.Mutex
	open map[shareKey]*shareSession
}

func shareKeyOf(group, member *string, broker int32) (shareKey, bool) {
	if group == nil || member == nil {
		return shareKey{}, false
	}
	return shareKey{*group, *member, broker}, true
}

// whole returns a ShareFetch with all partitions of its session, of which a request names only those that change. The
// rules and leaderships of the front are asked about each. A renewal of locks fetches nothing.
func (c *conn) whole(req kmsg.Request) kmsg.Request {
	fetch, ok := req.(*kmsg.ShareFetchRequest)
	if !ok || fetch.IsRenewAck || fetch.ShareSessionEpoch == sessionEnds {
		return req
	}
	key, ok := shareKeyOf(fetch.GroupID, fetch.MemberID, c.broker)
	if !ok {
		return req
	}
	sessions := &c.front.shares
	sessions.mu.Lock()
	defer sessions.mu.Unlock()
	session := sessions.open[key]
	if session == nil || fetch.ShareSessionEpoch == sessionBegins {
		session = &shareSession{owner: c}
		sessions.open[key] = session
	}
	for _, named := range wire.SharePartitions(fetch) {
		if !slices.Contains(session.partitions, named) {
			session.partitions = append(session.partitions, named)
		}
	}
	for _, forgotten := range fetch.ForgottenTopicsData {
		session.partitions = slices.DeleteFunc(session.partitions, func(one wire.SharePartition) bool {
			return one.TopicID == forgotten.TopicID && slices.Contains(forgotten.Partitions, one.Partition)
		})
	}
	return wire.WithPartitions(fetch, session.partitions)
}

// at returns a session as it is; one that is not known has no partitions.
func (s *shareSessions) at(key shareKey) shareSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.open[key]
	if session == nil {
		return shareSession{}
	}
	return shareSession{slices.Clone(session.partitions), session.next, session.added, session.owner}
}

// counted notes the epoch that follows an answered request of a session, or its end.
func (s *shareSessions) counted(key shareKey, epoch int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch == sessionEnds {
		delete(s.open, key)
	} else if session := s.open[key]; session != nil {
		session.next = epoch + 1
	}
}

// ended removes and returns the sessions that end with a connection.
func (s *shareSessions) ended(owner *conn) map[shareKey]shareSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[shareKey]shareSession{}
	for key, session := range s.open {
		if session.owner == owner {
			found[key] = *session
			delete(s.open, key)
		}
	}
	return found
}

// leave returns the request by which an ending session forgets the partitions that its broker leads no more; nil if there
// are none. A broker gives up a share group's state of a partition with its leadership, so that the end of a session
// there releases none of its records, which are the new leader's (SharePartitionManager.releaseSession and
// SharePartitionListener.onBecomingFollower of 4.3.1). The state machine has one state for all brokers.
func (f *Front) leave(key shareKey, session shareSession) *kmsg.ShareFetchRequest {
	req := kmsg.NewPtrShareFetchRequest()
	req.Version, req.GroupID, req.MemberID = lockRenewals, &key.group, &key.member
	req.ShareSessionEpoch, req.IsRenewAck = session.next+session.added, true // a renewal without locks fetches nothing
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.MaxRecords = 0, 0, 0, 0
	for _, one := range session.partitions {
		name := f.names(one.TopicID)
		f.mu.Lock()
		p, ok := f.newest().Partition(name, one.Partition)
		f.mu.Unlock()
		if ok && p.Leader != key.broker {
			gone := kmsg.NewShareFetchRequestForgottenTopicsData()
			gone.TopicID, gone.Partitions = one.TopicID, []int32{one.Partition}
			req.ForgottenTopicsData = append(req.ForgottenTopicsData, gone)
		}
	}
	if len(req.ForgottenTopicsData) == 0 {
		return nil
	}
	return req
}

// leaveShares lets the sessions that end with this connection forget what their broker leads no more.
func (c *conn) leaveShares() {
	for key, session := range c.front.shares.ended(c) {
		if req := c.front.leave(key, session); req != nil && c.pipes[c.broker] != nil {
			c.pipes[c.broker].Ask(req) // an error: the state machine is gone, too
		}
	}
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
	key, epoch, known := x.session()
	if known && epoch == sessionEnds {
		if err := x.leave(key); err != nil {
			return nil, err
		}
	}
	resp, err := x.ask(x.conn.broker, wire.AtEpoch(rest, x.conn.front.shares.at(key).added))
	if err != nil {
		return nil, err
	}
	if known && wire.ShareError(resp) == 0 {
		x.conn.front.shares.counted(key, epoch)
	}
	wire.MergeRows(resp)
	if err := x.takeBack(key, resp, codes); err != nil {
		return nil, err
	}
	wire.Add(resp, x.req, codes)
	wire.FillRecords(resp)
	x.conn.front.setHints(resp, x.conn.broker)
	return resp, nil
}

// session returns which session a request is part of, and its epoch.
func (x *exchange) session() (key shareKey, epoch int32, known bool) {
	switch req := x.req.(type) {
	case *kmsg.ShareFetchRequest:
		key, known = shareKeyOf(req.GroupID, req.MemberID, x.conn.broker)
		return key, req.ShareSessionEpoch, known
	case *kmsg.ShareAcknowledgeRequest:
		key, known = shareKeyOf(req.GroupID, req.MemberID, x.conn.broker)
		return key, req.ShareSessionEpoch, known
	}
	return shareKey{}, 0, false
}

// leave lets a session that ends forget the partitions that its broker leads no more.
func (x *exchange) leave(key shareKey) error {
	req := x.conn.front.leave(key, x.conn.front.shares.at(key))
	if req == nil {
		return nil
	}
	_, err := x.ask(x.conn.broker, req)
	return err
}
