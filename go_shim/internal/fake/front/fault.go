package front

import (
	"fmt"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
	"google.golang.org/protobuf/proto"
)

// latestDefault is the delay of a change without latest_ms whose rules are never hit.
const latestDefault = 2 * time.Second

// fault is one injected fault: its rules are installed in the table, its changes are scheduled here.
type fault struct {
	rules   map[string]bool // false = a prelude: its hits start no timer
	hit     time.Time       // zero = none yet
	changes []*timed
}

// timed is a change with its timer; done once it was made or the fault was healed.
type timed struct {
	spec  *clusterpb.Timed
	timer *time.Timer
	done  bool
}

// Inject installs rules and changes in one step and returns the time. An error leaves everything unchanged.
func (f *Front) Inject(spec *clusterpb.Fault) (int64, error) {
	spec = proto.Clone(spec).(*clusterpb.Fault)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	flt := &fault{rules: map[string]bool{}}
	for i, rule := range spec.Rules {
		if rule.Id == "" {
			rule.Id = fmt.Sprintf("rule-%d-%d", len(f.faults), i)
		}
		if err := f.checkRule(rule, flt); err != nil {
			return 0, err
		}
		flt.rules[rule.Id] = !rule.Prelude
	}
	for _, change := range spec.Changes {
		if err := f.check(change.Change); err != nil {
			return 0, err
		}
		flt.changes = append(flt.changes, &timed{spec: change})
	}
	f.stalls.worst.Store(0)
	f.rules.Install(spec.Rules, now)
	f.faults = append(f.faults, flt)
	at := f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_FAULT_ON, Broker: -1, Partition: -1})
	for _, t := range flt.changes {
		f.start(flt, t)
	}
	f.wake()
	return at, nil
}

func (f *Front) checkRule(rule *clusterpb.Rule, flt *fault) error {
	for _, other := range append(f.faults, flt) {
		if _, taken := other.rules[rule.Id]; taken {
			return fmt.Errorf("rule %q is already active: give every rule its own id", rule.Id)
		}
	}
	if rule.Action != clusterpb.Action_ANSWER && rule.Action != clusterpb.Action_APPLY {
		return nil
	}
	for _, api := range rule.Apis {
		req := kmsg.RequestForKey(int16(api))
		if req == nil {
			return fmt.Errorf("rule %q: there is no API key %d", rule.Id, api)
		}
		key := kmsg.Key(api)
		if key == kmsg.Metadata || key == kmsg.FindCoordinator {
			continue
		}
		if _, err := wire.Shape(req, int16(rule.Code)); err != nil {
			return fmt.Errorf("rule %q: %w", rule.Id, err)
		}
	}
	return nil
}

// start sets the timer of a change: its delay from the beginning, or the latest moment without a hit.
func (f *Front) start(flt *fault, t *timed) {
	after := time.Duration(t.spec.AfterMs) * time.Millisecond
	if t.spec.FromStart {
		if after == 0 {
			f.fire(flt, t)
			return
		}
		f.arm(flt, t, after)
		return
	}
	latest := time.Duration(t.spec.LatestMs) * time.Millisecond
	if latest == 0 {
		latest = latestDefault
	}
	f.arm(flt, t, latest)
}

func (f *Front) arm(flt *fault, t *timed, after time.Duration) {
	if t.timer != nil {
		t.timer.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if t.timer == timer { // not replaced in the meantime
			f.fire(flt, t)
		}
	})
	t.timer = timer
}

// fire makes a change, at most once.
func (f *Front) fire(flt *fault, t *timed) {
	if t.done {
		return
	}
	t.done = true
	hitMs := noHit
	if !flt.hit.IsZero() && !t.spec.FromStart {
		hitMs = time.Since(flt.hit).Milliseconds()
	}
	if err := f.apply(t.spec.Change, hitMs); err != nil {
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_NOTE, Broker: -1, Partition: -1, Text: "change failed: " + err.Error()})
	}
}

// noteHits emits the first use of every rule and starts the changes that wait for the first hit of their fault.
func (f *Front) noteHits(rules []string, broker int32, now time.Time) {
	for _, id := range rules {
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_HIT, Broker: broker, Partition: -1, Text: id})
		for _, flt := range f.faults {
			if !flt.rules[id] || !flt.hit.IsZero() {
				continue
			}
			flt.hit = now
			for _, t := range flt.changes {
				if !t.spec.FromStart && !t.done {
					f.arm(flt, t, time.Duration(t.spec.AfterMs)*time.Millisecond)
				}
			}
		}
	}
}

// noteSpent emits counted rules that apply no more.
func (f *Front) noteSpent(rules []string, broker int32) {
	for _, id := range rules {
		f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_SPENT, Broker: broker, Partition: -1, Text: id})
	}
}

// Heal removes every rule and pending change and reverts changes of brokers and their views. Leaders and coordinators
// stay where they are; partitions and keys without one get one.
func (f *Front) Heal() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, flt := range f.faults {
		for _, t := range flt.changes {
			t.done = true
			if t.timer != nil {
				t.timer.Stop()
			}
		}
	}
	f.faults = nil
	f.rules.Clear()
	clear(f.views)
	clear(f.rolledBack)
	f.limit = nil
	f.logins.Store(f.calmLogins)
	clear(f.quotas)
	clear(f.loading)
	for key := range f.pendingMoves {
		f.completeCoordinatorMove(key)
	}
	clear(f.loading) // the moves above may have set it again
	f.restore()
	f.wake()
	f.scheduleAnnouncements()
	return f.log.Add(&clusterpb.Event{Kind: clusterpb.Event_HEALED, Broker: -1, Partition: -1})
}
