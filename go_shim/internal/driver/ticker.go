package driver

import (
	"sync/atomic"
	"time"
)

// Flow counts the operations of one partition that were begun and have not ended.
type Flow struct {
	limit int64
	open  atomic.Int64
	// Skipped counts beats on which nothing was begun.
	Skipped atomic.Int64
}

// NewFlow allows so many at once, one at least.
func NewFlow(limit int32) *Flow { return &Flow{limit: int64(max(limit, 1))} }

// Begin takes a place; false when all are taken, which is counted.
func (f *Flow) Begin() bool {
	if f.open.Add(1) <= f.limit {
		return true
	}
	f.open.Add(-1)
	f.Skipped.Add(1)
	return false
}

// End gives the place back.
func (f *Flow) End() { f.open.Add(-1) }

// Every is an interval that stays.
func Every(interval time.Duration) func() time.Duration {
	return func() time.Duration { return interval }
}

// Beat calls `do` each interval until `done` closes; `every` is asked at each beat. Beats missed while `do` runs are not
// made up for.
func Beat(done <-chan struct{}, every func() time.Duration, do func()) {
	interval := every()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if now := every(); now != interval {
			interval = now
			ticker.Reset(interval)
		}
		select {
		case <-done:
			return
		case <-ticker.C:
			if ended(done) { // a select takes either when both are there
				return
			}
			do()
		}
	}
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
