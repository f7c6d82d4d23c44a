package main

import (
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func produceHint(resp kmsg.Response) (leader, nodes int32) {
	r := resp.(*kmsg.ProduceResponse)
	return r.Topics[0].Partitions[0].CurrentLeader.LeaderID, int32(len(r.Brokers))
}

// TestHints: the state machine adds a hint to every 6 of its own, rules add none; the sent hint depends on the release,
// the version and the broker's view.
func TestHints(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		line    string
		version int16
		to      int32
		lagMs   int32
		ruled   int32
		code    int16
		want    int32
	}{
		{"known", "3.9", 10, 2, 0, 0, 6, 2}, {"version too old", "3.9", 9, 2, 0, 0, 6, -1},
		{"release too old", "3.6", 9, 2, 0, 0, 6, -1}, {"no leader", "3.9", 10, -1, 0, 0, 6, -1},
		{"the broker does not know yet", "3.9", 10, 2, 60_000, 0, 6, -1},
		{"by a rule", "3.9", 10, 2, 0, 6, 6, 2}, {"another error", "3.9", 10, 2, 0, 56, 56, -1},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, x.line)
			r.topic("t", 1)
			time.Sleep(time.Millisecond)
			r.apply(&clusterpb.Change{Change: &clusterpb.Change_View{View: &clusterpb.MetadataView{Broker: 1, LagMs: x.lagMs}}})
			r.apply(leaderChange(moveLeader("t", 0, x.to)))
			if x.ruled != 0 {
				rule := &clusterpb.Rule{Id: "ruled", Apis: []int32{0}, Brokers: []int32{1}, Topic: "t", Code: x.ruled}
				r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule}})
			}
			resp := r.raw(1).ask(produceTo(x.version, -1, "t", 0))
			leader, nodes := produceHint(resp)
			if leader != x.want || (nodes == 1) != (x.want > 0) || produceCodes(resp)[0] != x.code {
				t.Errorf("leader %d with %d endpoints, want %d", leader, nodes, x.want)
			}
		})
	}
}

// TestNoHintWithoutALeaderInMetadata: a broker takes both from one view.
func TestNoHintWithoutALeaderInMetadata(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.apply(leaderChange(moveLeader("t", 0, 2)))
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{Id: "dead", Apis: []int32{3}, Topic: "t", Code: 5}}})
	if leader, nodes := produceHint(r.raw(1).ask(produceTo(10, -1, "t", 0))); leader != -1 || nodes != 0 {
		t.Errorf("leader %d with %d endpoints, want none", leader, nodes)
	}
}

// TestHintsOfFetch: with a stale epoch as with 6; no broker names itself.
func TestHintsOfFetch(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	id := r.topic("t", 1)
	r.raw(1).ask(produceTo(7, -1, "t", 0))
	r.apply(leaderChange(moveLeader("t", 0, 2)))
	epoch := r.epochOf(1)
	for _, x := range []struct {
		broker, epoch int32
		code          int16
		want          int32
	}{{1, epoch - 1, 74, 2}, {1, epoch, 0, -1}, {1, epoch + 1, 75, -1}, {2, epoch - 1, 74, -1}} {
		req := fetchFrom(16, 0, x.epoch, "t", 0)
		req.Topics[0].TopicID = [16]byte(id)
		resp := r.raw(x.broker).ask(req).(*kmsg.FetchResponse)
		row := fetchRows(resp)[0]
		if row.ErrorCode != x.code || row.CurrentLeader.LeaderID != x.want || (len(resp.Brokers) == 1) != (x.want > 0) {
			t.Errorf("broker %d, epoch %d: code %d, leader %d, %d endpoints; want %d and %d",
				x.broker, x.epoch, row.ErrorCode, row.CurrentLeader.LeaderID, len(resp.Brokers), x.code, x.want)
		}
	}
}
