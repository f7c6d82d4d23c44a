package front

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// takeBack takes records out of a fetch whose partitions met an error while it waited, and releases them. The state machine
// wakes it by a record that brokers would not have: nothing is appended to a log whose disk is dead. What the request
// accepted is accepted, as on brokers, which did that when it came (SharePartitionManager and KafkaApis of 4.4.0).
func (x *exchange) takeBack(key shareKey, resp kmsg.Response, before wire.Codes) error {
	fetched, ok := resp.(*kmsg.ShareFetchResponse)
	if !ok || fetched.ErrorCode != 0 {
		return nil
	}
	now := x.conn.front.decide(x.call, x.held).Codes
	release := wire.TakeBack(fetched, x.req.(*kmsg.ShareFetchRequest), now, before)
	if release == nil {
		return nil
	}
	sessions := &x.conn.front.shares
	session := sessions.at(key)
	release.GroupID, release.MemberID, release.ShareSessionEpoch = &key.group, &key.member, session.next+session.added
	if _, err := x.ask(x.conn.broker, release); err != nil {
		return err
	}
	sessions.addedTo(key)
	return nil
}

// addedTo notes that the front sent a request in a session.
func (s *shareSessions) addedTo(key shareKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.open[key]; session != nil {
		session.added++
	}
}
