package front

import (
	"sync/atomic"
	"time"
)

// stallBeat is how often the process shows that it runs: seldom, since there are a hundred clusters on a machine.
const stallBeat = 500 * time.Millisecond

// stalls is the longest time that the process got no core: whatever it answered then was late, and no broker's doing.
type stalls struct {
	beat  *beat
	worst atomic.Int64 // milliseconds
}

// watchStalls measures until the front is closed.
func (f *Front) watchStalls() error {
	b, err := newBeat(stallBeat)
	if err != nil {
		return err
	}
	f.stalls.beat = b
	go f.stalls.measure(b, time.Now())
	return nil
}

// measure takes how late each beat is; a stall that begins after one is seen from the next one on.
func (s *stalls) measure(b *beat, began time.Time) {
	due := began
	for ticks := b.wait(); ticks > 0; ticks = b.wait() {
		late := time.Since(due.Add(stallBeat)).Milliseconds()
		s.worst.Store(max(s.worst.Load(), late))
		due = due.Add(time.Duration(ticks) * stallBeat)
	}
}

// StalledMs returns how many milliseconds the process got no core at the longest since the last fault began, as far as
// it was seen.
func (f *Front) StalledMs() int64 { return f.stalls.worst.Load() }
