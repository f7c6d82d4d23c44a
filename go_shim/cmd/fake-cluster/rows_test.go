package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// rule answers a code about t/0 at broker 1.
func rule(code int32, apis ...int32) *clusterpb.Rule {
	return &clusterpb.Rule{Id: "r", Apis: apis, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: code}
}

func TestTheRowOfTheBystanderIsServed(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule(56, 0, 1)}})
	c := r.raw(1)
	if codes := produceCodes(c.ask(produceTo(7, -1, "t", 0, 1))); codes[0] != 56 || codes[1] != 0 || len(codes) != 2 {
		t.Errorf("produce: %v", codes)
	}
	rows := fetchRows(c.ask(fetchFrom(11, 5000, -1, "t", 0, 1)))
	if rows[0].ErrorCode != 56 || rows[1].ErrorCode != 0 || len(rows[1].RecordBatches) == 0 || rows[0].RecordBatches == nil {
		t.Errorf("fetch: %+v", rows)
	}
	if stored := r.stored("t", 0); len(stored) != 0 {
		t.Errorf("the failed record is stored: %v", stored)
	}
	if stored := r.stored("t", 1); len(stored) != 1 {
		t.Errorf("the bystander has %v", stored)
	}
}

func TestRulesMatchTopicIDs(t *testing.T) {
	t.Parallel()
	r := start(t, "4.1")
	id := [16]byte(r.topic("t", 1, 1))
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule(56, 0, 1)}})
	produce, fetch := produceTo(13, -1, "", 0, 1), fetchFrom(17, 100, -1, "", 0, 1)
	produce.Topics[0].TopicID, fetch.Topics[0].TopicID = id, id
	c := r.raw(1)
	if codes := produceCodes(c.ask(produce)); codes[0] != 56 || codes[1] != 0 || len(codes) != 2 {
		t.Errorf("produce: %v", codes)
	}
	if rows := fetchRows(c.ask(fetch)); rows[0].ErrorCode != 56 || rows[1].ErrorCode != 0 || len(rows) != 2 {
		t.Errorf("fetch: %v", rows)
	}
}

func TestOldProduceOnOldReleasesGets6(t *testing.T) {
	t.Parallel()
	r := start(t, "2.6")
	r.topic("t", 1)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule(56, 0, 1)}})
	c := r.raw(1)
	if got := produceCodes(c.ask(produceTo(3, -1, "t", 0)))[0]; got != 6 {
		t.Errorf("produce v3: %d", got)
	}
	if got := produceCodes(c.ask(produceTo(7, -1, "t", 0)))[0]; got != 56 {
		t.Errorf("produce v7: %d", got)
	}
	if got := fetchRows(c.ask(fetchFrom(5, 10, -1, "t", 0)))[0].ErrorCode; got != 6 {
		t.Errorf("fetch v5: %d", got)
	}
}

func TestAnAppliedRecordIsStored(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	applied := rule(7, 0)
	applied.Action, applied.Count = clusterpb.Action_APPLY, 1
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{applied}})
	c := r.raw(1)
	resp := c.ask(produceTo(7, -1, "t", 0)).(*kmsg.ProduceResponse)
	if row := resp.Topics[0].Partitions[0]; row.ErrorCode != 7 || row.BaseOffset != -1 {
		t.Errorf("%+v", row)
	}
	if codes := produceCodes(c.ask(produceTo(7, -1, "t", 0))); codes[0] != 0 {
		t.Errorf("the rule is spent, but %v", codes)
	}
	if stored := r.stored("t", 0); len(stored) != 2 {
		t.Errorf("%v", stored)
	}
}

func TestAcks0(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	c := r.raw(1)
	c.send(produceTo(7, 0, "t", 0))
	c.ask(metadataOf("t")) // is the next answer: acks=0 has none
	if stored := r.stored("t", 0); len(stored) != 1 {
		t.Errorf("%v", stored)
	}
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule(56, 0)}})
	sent := time.Now()
	c.send(produceTo(7, 0, "t", 0))
	_, err := c.receive(produceTo(7, 0, "t", 0), time.Second)
	if after := time.Since(sent); !errors.Is(err, io.EOF) || after < 23*time.Millisecond {
		t.Errorf("after %v: %v; want it closed after 23 ms", after, err)
	}
}

func TestAParkedFetchIsHit(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	c := r.raw(1)
	req := fetchFrom(11, neverMs, -1, "t", 0)
	req.SessionEpoch = 0 // wants a session
	c.send(req)
	time.Sleep(70 * time.Millisecond)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{rule(56, 1)}})
	resp, err := c.receive(req, waitLimit)
	fatal(t, err)
	if code := fetchRows(resp)[0].ErrorCode; code != 56 {
		t.Errorf("error code %d", code)
	}
	if id := resp.(*kmsg.FetchResponse).SessionID; id != 0 {
		t.Errorf("session %d", id)
	}
}

func TestAnEmptyFetchWaitsMaxWait(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	longer, req := r.raw(1), fetchFrom(11, neverMs, -1, "t", 0)
	longer.send(req)
	asked := time.Now()
	rows := fetchRows(r.raw(1).ask(fetchFrom(11, 180, -1, "t", 0)))
	if took := time.Since(asked); took < 170*time.Millisecond || rows[0].ErrorCode != 0 {
		t.Errorf("%v, %+v", took, rows)
	}
	if resp, err := longer.receive(req, 10*time.Millisecond); err == nil {
		t.Errorf("one that may wait longer has %+v", resp)
	}
}

// TestAParkedFetchSeesEveryChange parks fetches: one that a change does not concern keeps waiting for its record, one
// whose leader epoch is over (with the same leader) gets its error at once.
func TestAParkedFetchSeesEveryChange(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	_, row := firstPartition(r.raw(1).ask(metadataOf("t")))
	fenced, waits := r.raw(1), r.raw(1)
	first, second := fetchFrom(11, 20_000, row.LeaderEpoch, "t", 0), fetchFrom(11, 20_000, row.LeaderEpoch, "t", 1)
	fenced.send(first)
	waits.send(second)
	time.Sleep(70 * time.Millisecond)
	r.apply(leaderChange(moveLeader("t", 0, 1)))
	resp, err := fenced.receive(first, waitLimit)
	fatal(t, err)
	if got := fetchRows(resp)[0].ErrorCode; got != 74 {
		t.Errorf("after the new epoch: %d", got)
	}
	r.raw(1).ask(produceTo(7, -1, "t", 1))
	resp, err = waits.receive(second, waitLimit)
	fatal(t, err)
	if got := fetchRows(resp)[1]; got.ErrorCode != 0 || len(got.RecordBatches) == 0 {
		t.Errorf("%+v; want the record that was written after the change", got)
	}
}

func TestHoldMuteClose(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 2, 3)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{
		{Id: "hold", Apis: []int32{3}, Brokers: []int32{1}, Action: clusterpb.Action_HOLD, HoldMs: 100},
		{Id: "mute", Apis: []int32{3}, Brokers: []int32{2}, Action: clusterpb.Action_MUTE},
		{Id: "close", Apis: []int32{3}, Brokers: []int32{3}, Action: clusterpb.Action_CLOSE},
	}})
	asked := time.Now()
	r.raw(1).ask(metadataOf("t"))
	if took := time.Since(asked); took < 100*time.Millisecond {
		t.Errorf("held for %v", took)
	}
	for broker, limit := range map[int32]time.Duration{2: 150 * time.Millisecond, 3: waitLimit} {
		c := r.raw(broker)
		c.send(metadataOf("t"))
		if _, err := c.receive(metadataOf("t"), limit); errors.Is(err, io.EOF) != (broker == 3) {
			t.Errorf("broker %d: %v", broker, err)
		}
	}
}

func TestHealEndsAHold(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	r.inject(&clusterpb.Fault{Rules: []*clusterpb.Rule{{Id: "hold", Action: clusterpb.Action_HOLD, HoldMs: 60_000}}})
	c := r.raw(1)
	c.send(metadataOf("t"))
	r.event(clusterpb.Event_HIT, nil)
	r.heal()
	_, err := c.receive(metadataOf("t"), waitLimit)
	fatal(t, err)
}

func TestCounts(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	c := r.raw(2)
	c.ask(metadataOf("t"))
	c.ask(metadataOf("t"))
	var reply *clusterpb.CountsReply
	eventually(t, "the last answer is counted, which is after it was written", func() bool {
		var err error
		reply, err = r.Counts(context.Background(), &clusterpb.Done{})
		fatal(t, err)
		return len(reply.Counts) > 0 && reply.Counts[0].Responses == 2
	})
	if len(reply.Counts) != 1 || reply.Counts[0].Broker != 2 || reply.Counts[0].Api != 3 || reply.Counts[0].Requests != 2 {
		t.Errorf("%v", reply.Counts)
	}
}

func TestAFaultThatCannotBeInjectedChangesNothing(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	bad := []*clusterpb.Fault{
		{Rules: []*clusterpb.Rule{rule(56, 0)}, Changes: []*clusterpb.Timed{{Change: leaderChange(moveLeader("t", 7, 2))}}},
		{Rules: []*clusterpb.Rule{rule(56, 0)}, Changes: []*clusterpb.Timed{{}}},
		{Rules: []*clusterpb.Rule{rule(56, 0), rule(6, 1)}},
		{Rules: []*clusterpb.Rule{rule(56, 999)}},
	}
	for _, fault := range bad {
		if _, err := r.Inject(context.Background(), fault); err == nil {
			t.Errorf("accepted: %v", fault)
		}
	}
	if codes := produceCodes(r.raw(1).ask(produceTo(7, -1, "t", 0))); codes[0] != 0 || r.has(clusterpb.Event_FAULT_ON) {
		t.Errorf("a refused fault is in force: %v", codes)
	}
}
