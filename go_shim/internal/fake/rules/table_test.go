package rules

import (
	"maps"
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
)

var start = time.Unix(1000, 0)

func leader(string, int32) bool   { return true }
func follower(string, int32) bool { return false }

func produce(version int16, rows ...Object) *Call {
	return &Call{Broker: 1, API: 0, Version: version, Acks: -1, Objects: rows}
}

func row(topic string, partition int32) Object {
	return Object{Topic: topic, Partition: partition, Epoch: -1}
}

func group(name string) Object { return Object{Keyed: true, Key: name, Partition: -1, Epoch: -1} }

func with(rules ...*clusterpb.Rule) *Table {
	t := &Table{}
	t.Install(rules, start)
	return t
}

func TestDecide(t *testing.T) {
	t.Parallel()
	disk := &clusterpb.Rule{Id: "disk", Apis: []int32{0, 1}, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: 56}
	cases := []struct {
		name  string
		rules []*clusterpb.Rule
		call  *Call
		leads Leads
		after time.Duration
		kind  Kind
		codes map[int]Code
	}{
		{name: "the faulted row alone", rules: []*clusterpb.Rule{disk}, call: produce(7, row("t", 0), row("t", 1), row("u", 0)), codes: map[int]Code{0: {56, false}}},
		{name: "another broker", rules: []*clusterpb.Rule{disk}, call: &Call{Broker: 2, Objects: []Object{row("t", 0)}}},
		{name: "another API", rules: []*clusterpb.Rule{disk}, call: &Call{Broker: 1, API: 3, Objects: []Object{row("t", 0)}}},
		{name: "a whole topic includes its partitions", rules: []*clusterpb.Rule{{Topic: "t", Partitions: []int32{5}, Code: 5}}, call: &Call{API: 3, Objects: []Object{row("t", -1)}}, codes: map[int]Code{0: {5, false}}},
		{name: "version too low", rules: []*clusterpb.Rule{{MinVersion: 5, Code: 1}}, call: produce(4, row("t", 0))},
		{name: "version too high", rules: []*clusterpb.Rule{{MaxVersion: 5, Code: 1}}, call: produce(6, row("t", 0))},
		{name: "version within", rules: []*clusterpb.Rule{{MinVersion: 5, MaxVersion: 5, Code: 1}}, call: produce(5, row("t", 0)), codes: map[int]Code{0: {1, false}}},
		{name: "acks=1 passes a rule for acks=all", rules: []*clusterpb.Rule{{OnlyAcksAll: true, Code: 19}}, call: &Call{Acks: 1, Objects: []Object{row("t", 0)}}},
		{name: "acks=all does not", rules: []*clusterpb.Rule{{OnlyAcksAll: true, Code: 19}}, call: produce(7, row("t", 0)), codes: map[int]Code{0: {19, false}}},
		{name: "first installed wins", rules: []*clusterpb.Rule{{Id: "a", Code: 7}, {Id: "b", Code: 8}}, call: produce(7, row("t", 0)), codes: map[int]Code{0: {7, false}}},
		{name: "every row has its own first match", rules: []*clusterpb.Rule{disk, {Id: "b", Topic: "t", Code: 8, Action: clusterpb.Action_APPLY}}, call: produce(7, row("t", 0), row("t", 1)), codes: map[int]Code{0: {56, false}, 1: {8, true}}},
		{name: "expired", rules: []*clusterpb.Rule{{UntilMs: 10, Code: 1}}, call: produce(7, row("t", 0)), after: 10 * time.Millisecond},
		{name: "not expired", rules: []*clusterpb.Rule{{UntilMs: 10, Code: 1}}, call: produce(7, row("t", 0)), after: 9 * time.Millisecond, codes: map[int]Code{0: {1, false}}},
		{name: "an address of the configuration", rules: []*clusterpb.Rule{{KnownOnly: true, Code: 129}}, call: &Call{API: 3, Bootstrap: true, Objects: []Object{row("t", -1)}}},
		{name: "an address that Metadata names", rules: []*clusterpb.Rule{{KnownOnly: true, Code: 129}}, call: &Call{API: 3, Objects: []Object{row("t", -1)}}, codes: map[int]Code{0: {129, false}}},
		{name: "not begun", rules: []*clusterpb.Rule{{FromMs: 10, Code: 1}}, call: produce(7, row("t", 0)), after: 9 * time.Millisecond},
		{name: "begun", rules: []*clusterpb.Rule{{FromMs: 10, Code: 1}}, call: produce(7, row("t", 0)), after: 10 * time.Millisecond, codes: map[int]Code{0: {1, false}}},
		{name: "not at the leader", rules: []*clusterpb.Rule{{NotLeaderOnly: true, Code: 6}}, call: produce(7, row("t", 0)), leads: leader},
		{name: "at a follower", rules: []*clusterpb.Rule{{NotLeaderOnly: true, Code: 6}}, call: produce(7, row("t", 0)), leads: follower, codes: map[int]Code{0: {6, false}}},
		{name: "no epoch sent", rules: []*clusterpb.Rule{{WithEpoch: true, Code: 74}}, call: produce(7, row("t", 0))},
		{name: "an epoch sent", rules: []*clusterpb.Rule{{WithEpoch: true, Code: 74}}, call: &Call{API: 1, Objects: []Object{{Topic: "t", Epoch: 3}}}, codes: map[int]Code{0: {74, false}}},
		{name: "key", rules: []*clusterpb.Rule{{Key: "g", Code: 16}}, call: &Call{API: 12, Objects: []Object{group("g")}}, codes: map[int]Code{0: {16, false}}},
		{name: "another key", rules: []*clusterpb.Rule{{Key: "g", Code: 16}}, call: &Call{API: 12, Objects: []Object{group("h")}}},
		{name: "a keyed request that names the topic", rules: []*clusterpb.Rule{{Topic: "t", Partitions: []int32{1}, Code: 3}}, call: &Call{API: 8, Objects: []Object{group("g")}, Topics: []Object{row("t", 0), row("t", 1)}}, codes: map[int]Code{0: {3, false}}},
		{name: "a keyed request that does not", rules: []*clusterpb.Rule{{Topic: "t", Partitions: []int32{1}, Code: 3}}, call: &Call{API: 8, Objects: []Object{group("g")}, Topics: []Object{row("t", 0)}}},
		{name: "key and topic, and the request has no topics", rules: []*clusterpb.Rule{{Key: "g", Topic: "t", Code: 16}}, call: &Call{API: 12, Objects: []Object{group("g")}}, codes: map[int]Code{0: {16, false}}},
		{name: "a topic alone does not match requests without topics", rules: []*clusterpb.Rule{{Topic: "t", Code: 16}}, call: &Call{API: 12, Objects: []Object{group("g")}}},
		{name: "close takes the whole request", rules: []*clusterpb.Rule{{Topic: "t", Partitions: []int32{1}, Action: clusterpb.Action_CLOSE}}, call: produce(7, row("t", 0), row("t", 1)), kind: Close},
		{name: "mute", rules: []*clusterpb.Rule{{Action: clusterpb.Action_MUTE}}, call: produce(7, row("t", 0)), kind: Mute},
		{name: "hold", rules: []*clusterpb.Rule{{Action: clusterpb.Action_HOLD, HoldMs: 5}}, call: produce(7, row("t", 0)), kind: Hold},
		{name: "no objects, no rule", rules: []*clusterpb.Rule{{Code: 1}}, call: &Call{API: 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.leads == nil {
				c.leads = leader
			}
			got := with(c.rules...).Decide(c.call, c.leads, start.Add(c.after), nil)
			if got.Kind != c.kind || !maps.Equal(got.Codes, c.codes) {
				t.Errorf("got %+v, want kind %v, codes %v", got, c.kind, c.codes)
			}
		})
	}
}

func TestCountCountsResponsesNotRows(t *testing.T) {
	t.Parallel()
	table := with(&clusterpb.Rule{Id: "blip", Topic: "t", Code: 6, Count: 2})
	call := produce(7, row("t", 0), row("t", 1))
	for number, want := range []int{2, 2, 0, 0} {
		got := table.Decide(call, leader, start, nil)
		if len(got.Codes) != want || (len(got.Hits) == 1) != (number == 0) || (len(got.Spent) == 1) != (number == 1) {
			t.Errorf("response %d: %+v, want %d codes, the first hit in the first response, spent in the second", number, got, want)
		}
	}
	if table.Has("blip", start) {
		t.Error("a spent rule is still active")
	}
}

func TestARequestIsHeldOncePerRule(t *testing.T) {
	t.Parallel()
	table := with(&clusterpb.Rule{Id: "h", Action: clusterpb.Action_HOLD, HoldMs: 7})
	got := table.Decide(produce(7, row("t", 0)), leader, start, nil)
	if got.Rule != "h" || got.Until != start.Add(7*time.Millisecond) {
		t.Errorf("%+v", got)
	}
	if got := table.Decide(produce(7, row("t", 0)), leader, start, map[string]bool{"h": true}); !got.Plain() {
		t.Errorf("held again: %+v", got)
	}
}

func TestAnswersFindsTheFailedLogDir(t *testing.T) {
	t.Parallel()
	table := with(&clusterpb.Rule{Id: "d", Apis: []int32{0}, Brokers: []int32{1}, Topic: "t", Partitions: []int32{0}, Code: 56})
	for _, c := range []struct {
		broker, partition, code int32
		want                    bool
	}{{1, 0, 56, true}, {2, 0, 56, false}, {1, 1, 56, false}, {1, 0, 6, false}} {
		if got := table.Answers(c.broker, "t", c.partition, c.code, start); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	table.Clear()
	if table.Answers(1, "t", 0, 56, start) {
		t.Error("a cleared table has a matching rule")
	}
}
