package driver

import (
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// A library that logs so many lines in so short a time logs in a loop without a pause (franz-go where a
// dead transaction coordinator refuses: 700 attempts a second for half a minute) and takes a core from the clients
// beside it. Each line holds it up for slowLine then, as a slow terminal does, and the history says so.
const (
	chatterLines = 100
	chatterTime  = time.Second
	slowLine     = 5 * time.Millisecond
)

// chatter knows whether lines come without a pause. A caller holds a lock.
type chatter struct {
	count int
	since time.Time
	slows bool
	told  bool
}

// hears counts a line; it says whether the line is to be slow, and whether that is the first time.
func (c *chatter) hears(now time.Time) (slow, first bool) {
	if c.count++; c.count%chatterLines == 0 {
		c.slows = now.Sub(c.since) < chatterTime
		c.since = now
	}
	first = c.slows && !c.told
	c.told = c.told || c.slows
	return c.slows, first
}

// Log is Notice for a line that a library logs where it works.
func (i *Instance) Log(format string, args ...any) {
	i.Notice(format, args...)
	i.mu.Lock()
	slow, first := false, false
	if i.notices > noticeLimit {
		slow, first = i.chatter.hears(time.Now())
	}
	i.mu.Unlock()
	if first {
		i.Event(driverpb.Kind_NOTICE, Text(
			"it logs more than %d lines in %v: each takes it %v more from here on", chatterLines, chatterTime, slowLine,
		))
	}
	if slow {
		time.Sleep(slowLine)
	}
}
