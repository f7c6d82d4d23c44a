package front

import (
	"sync/atomic"
	"time"
)

// stallInterval is the interval of the check; long, since a hundred clusters share a machine.
const stallInterval = 500 * time.Millisecond

// stalls holds the longest time that the process got no CPU: responses during it were late for a reason of this
// machine, not of a broker.
type stalls struct {
	ticker *ticker
	worst  atomic.Int64 // milliseconds
}

// watchStalls measures until the front is closed.
func (f *Front) watchStalls() error {
	ticks, err := newTicker(stallInterval)
	if err != nil {
		return err
	}
	f.stalls.ticker = ticks
	go f.stalls.measure(ticks, time.Now())
	return nil
}

// measure records the lateness of every tick; a stall after a tick is visible from the next tick on.
func (s *stalls) measure(ticks *ticker, began time.Time) {
	due := began
	for count := ticks.wait(); count > 0; count = ticks.wait() {
		late := time.Since(due.Add(stallInterval)).Milliseconds()
		s.worst.Store(max(s.worst.Load(), late))
		due = due.Add(time.Duration(count) * stallInterval)
	}
}

// StalledMs returns the longest time, in milliseconds, that the process got no CPU since the last fault began, as far
// as it was measured.
func (f *Front) StalledMs() int64 { return f.stalls.worst.Load() }
