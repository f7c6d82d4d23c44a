package main

import (
	"slices"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestTheEndOfAShareSessionReleasesWhatItsBrokerLeads: a member holds records of a moved partition by the new leader's
// session; that at the former leader ends with a request or with its connection, and gives back those of the other one.
func TestTheEndOfAShareSessionReleasesWhatItsBrokerLeads(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*sharer){
		"request":    func(s *sharer) { s.epoch = -1; s.fetches(nil) },
		"ack":        func(s *sharer) { s.ends() },
		"connection": func(s *sharer) { s.conn.Close() },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := start(t, "4.4")
			id := r.topic("t", 1, 1)
			former, next, other := r.sharer(1, id), r.sharer(2, id), r.sharer(1, id)
			other.member = "b"
			former.fetches([]int32{0, 1})
			r.raw(1).ask(produceTo(9, 1, "t", 1))
			if got := given(former.fetches(nil), 1); !slices.Equal(got, []int64{0}) {
				t.Fatalf("%v", got)
			}
			r.apply(&clusterpb.Change{Change: &clusterpb.Change_MoveLeader{MoveLeader: &clusterpb.MoveLeader{Topic: "t", To: 2}}})
			next.fetches([]int32{0})
			r.raw(2).ask(produceTo(9, 1, "t", 0))
			if got := given(next.fetches(nil), 0); !slices.Equal(got, []int64{0}) {
				t.Fatalf("%v", got)
			}
			end(former)
			other.wait = 5 * time.Second
			if got := given(other.fetches([]int32{1}), 1); !slices.Equal(got, []int64{0}) {
				t.Errorf("what the broker leads is not given back: %v", got)
			}
			if got := given(next.fetches(nil), 0); len(got) > 0 {
				t.Errorf("what it leads no more is given again: %v", got)
			}
			if row := rows(next.fetches([]int32{0}, 0))[0]; row.AcknowledgeErrorCode != 0 {
				t.Errorf("%+v", row)
			}
		})
	}
}

// ends sends the ShareAcknowledge that ends a session.
func (s *sharer) ends() {
	s.t.Helper()
	req := kmsg.NewPtrShareAcknowledgeRequest()
	req.Version, req.GroupID, req.MemberID, req.ShareSessionEpoch = 1, kmsg.StringPtr("g"), kmsg.StringPtr(s.member), -1
	if got := s.ask(req).(*kmsg.ShareAcknowledgeResponse).ErrorCode; got != 0 {
		s.t.Errorf("%d", got)
	}
}
