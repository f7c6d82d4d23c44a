package driver

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// A library that logs floodLines within floodWindow logs in a loop without a pause and occupies a core (franz-go while a
// dead transaction coordinator refuses connections: 700 attempts per second for half a minute). Every line is then
// delayed by logDelay, as by a slow terminal, and a notice reports it.
const (
	floodLines  = 100
	floodWindow = time.Second
	logDelay    = 5 * time.Millisecond
)

// rateDetector detects lines without a pause. Its caller holds a lock.
type rateDetector struct {
	count    int
	since    time.Time
	flooding bool
	reported bool
}

// add counts a line. It returns whether the line is to be delayed, and whether it is the first one.
func (d *rateDetector) add(now time.Time) (flooding, first bool) {
	if d.count++; d.count%floodLines == 0 {
		d.flooding = now.Sub(d.since) < floodWindow
		d.since = now
	}
	first = d.flooding && !d.reported
	d.reported = d.reported || d.flooding
	return d.flooding, first
}

// Log is Notice for a line that the library logs on its own goroutine, which a flood of lines delays.
func (i *Instance) Log(format string, args ...any) {
	i.Notice(format, args...)
	i.mu.Lock()
	flooding, first := false, false
	if i.notices > noticeLimit {
		flooding, first = i.logRate.add(time.Now())
	}
	i.mu.Unlock()
	if first {
		i.Event(driverpb.Kind_NOTICE, Text(
			"more than %d log lines in %v: every further line is delayed by %v", floodLines, floodWindow, logDelay,
		))
	}
	if flooding {
		time.Sleep(logDelay)
	}
}
