package driver

import "time"

// CommitInterval is the interval at which a group member commits what it delivered.
const CommitInterval = 500 * time.Millisecond

// Fixed returns an interval that never changes.
func Fixed(interval time.Duration) func() time.Duration {
	return func() time.Duration { return interval }
}

// Tick calls `do` once per interval until `done` closes; `interval` is read at every tick. Ticks missed while `do` runs
// are not repeated.
func Tick(done <-chan struct{}, interval func() time.Duration, do func()) {
	present := interval()
	ticker := time.NewTicker(present)
	defer ticker.Stop()
	for {
		if next := interval(); next != present {
			present = next
			ticker.Reset(present)
		}
		select {
		case <-done:
			return
		case <-ticker.C:
			if closed(done) { // a select chooses either channel when both are ready
				return
			}
			do()
		}
	}
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
