package rules

import (
	"slices"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
)

// Table holds the active rules in order of installation. It is not safe for concurrent use.
type Table struct{ rules []*entry }

type entry struct {
	rule   *clusterpb.Rule
	begins time.Time
	gone   time.Time // zero = until cleared
	hits   int
}

// Leads reports whether the broker of a call leads a partition.
type Leads func(topic string, partition int32) bool

// Install appends rules; from_ms and until_ms count from `now`.
func (t *Table) Install(rules []*clusterpb.Rule, now time.Time) {
	for _, rule := range rules {
		e := &entry{rule: rule, begins: now.Add(time.Duration(rule.FromMs) * time.Millisecond)}
		if rule.UntilMs > 0 {
			e.gone = now.Add(time.Duration(rule.UntilMs) * time.Millisecond)
		}
		t.rules = append(t.rules, e)
	}
}

// Clear removes every rule.
func (t *Table) Clear() { t.rules = nil }

// Has reports whether a rule with this id is installed and not spent.
func (t *Table) Has(id string, now time.Time) bool {
	return slices.ContainsFunc(t.rules, func(e *entry) bool { return e.rule.Id == id && e.isActive(now) })
}

// Answers reports whether a rule answers this code for a partition at a broker, in any API.
func (t *Table) Answers(broker int32, topic string, partition int32, code int32, now time.Time) bool {
	object := Object{Topic: topic, Partition: partition}
	return slices.ContainsFunc(t.rules, func(e *entry) bool {
		return e.isActive(now) && e.rule.Action == clusterpb.Action_ANSWER && e.rule.Code == code &&
			contains(e.rule.Brokers, broker) && e.matchesObject(&Call{}, object)
	})
}

// Decide finds the first matching rule for every object of the call and counts one hit for every rule that applied.
// `held` are the ids of rules that have already held this request for their full time.
func (t *Table) Decide(call *Call, leads Leads, now time.Time, held map[string]bool) Decision {
	decision := Decision{}
	used := map[*entry]bool{}
	for i, object := range call.Objects {
		e := t.first(call, object, leads, now, held)
		if e == nil {
			continue
		}
		used[e] = true
		if e.rule.Action == clusterpb.Action_LOSE {
			decision.Lose = true
			continue
		}
		if e.rule.Action == clusterpb.Action_ANSWER || e.rule.Action == clusterpb.Action_APPLY {
			if decision.Codes == nil {
				decision.Codes = map[int]Code{}
			}
			decision.Codes[i] = Code{int16(e.rule.Code), e.rule.Action == clusterpb.Action_APPLY}
			continue
		}
		decision = wholeRequest(e.rule, now)
		used = map[*entry]bool{e: true}
		break
	}
	for e := range used {
		if e.hits++; e.hits == 1 {
			decision.Hits = append(decision.Hits, e.rule.Id)
		}
		if e.rule.Count > 0 && e.hits == int(e.rule.Count) {
			decision.Spent = append(decision.Spent, e.rule.Id)
		}
	}
	return decision
}

// wholeRequest returns the decision of a rule that applies to the request as a whole.
func wholeRequest(rule *clusterpb.Rule, now time.Time) Decision {
	switch rule.Action {
	case clusterpb.Action_HOLD:
		return Decision{Kind: Hold, Rule: rule.Id, Until: now.Add(time.Duration(rule.HoldMs) * time.Millisecond)}
	case clusterpb.Action_CLOSE:
		return Decision{Kind: Close}
	default:
		return Decision{Kind: Mute}
	}
}

func (t *Table) first(call *Call, object Object, leads Leads, now time.Time, held map[string]bool) *entry {
	for _, e := range t.rules {
		if e.isActive(now) && !held[e.rule.Id] && e.matchesRequest(call) && e.matchesObject(call, object) && e.leadership(object, leads) {
			return e
		}
	}
	return nil
}

func (e *entry) isActive(now time.Time) bool {
	return !now.Before(e.begins) && (e.gone.IsZero() || now.Before(e.gone)) && (e.rule.Count == 0 || e.hits < int(e.rule.Count))
}

// matchesRequest compares broker and its address, API, version and acks.
func (e *entry) matchesRequest(call *Call) bool {
	r := e.rule
	return contains(r.Brokers, call.Broker) && contains(r.Apis, int32(call.API)) &&
		int32(call.Version) >= r.MinVersion && (r.MaxVersion == 0 || int32(call.Version) <= r.MaxVersion) &&
		(!r.OnlyAcksAll || call.Acks == -1) && !(r.KnownOnly && call.Bootstrap)
}

// matchesObject compares the key, or topic and partition. A keyed request that was found by its key and has no topics
// (Heartbeat, for instance) needs no topic.
func (e *entry) matchesObject(call *Call, object Object) bool {
	r := e.rule
	if r.Key != "" && r.Key != object.Key {
		return false
	}
	switch {
	case !object.Keyed || r.Topic == "":
		return includes(r, object)
	case len(call.Topics) == 0:
		return r.Key != ""
	}
	return slices.ContainsFunc(call.Topics, func(o Object) bool { return includes(r, o) })
}

// includes reports whether a rule's topic and partitions include the object; a whole topic includes its partitions.
func includes(r *clusterpb.Rule, object Object) bool {
	if r.Topic != "" && r.Topic != object.Topic {
		return false
	}
	return object.Partition < 0 || contains(r.Partitions, object.Partition)
}

func (e *entry) leadership(object Object, leads Leads) bool {
	if e.rule.WithEpoch && object.Epoch < 0 {
		return false
	}
	return !e.rule.NotLeaderOnly || !leads(object.Topic, object.Partition)
}

// contains treats an empty list as "any".
func contains(list []int32, value int32) bool { return len(list) == 0 || slices.Contains(list, value) }
