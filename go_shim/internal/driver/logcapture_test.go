package driver

import (
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func TestLinesWithoutAPauseAreDelayed(t *testing.T) {
	now, rate := time.Now(), rateDetector{}
	delayed := 0
	log := func(lines int, interval time.Duration) {
		for range lines {
			now = now.Add(interval)
			if flooding, _ := rate.add(now); flooding {
				delayed++
			}
		}
	}
	log(2*floodLines, time.Millisecond)
	if delayed != 1 {
		t.Errorf("%d delayed lines before the detection", delayed)
	}
	log(10*floodLines, logDelay) // the delay does not end the flood
	if delayed != 1+10*floodLines {
		t.Errorf("%d delayed lines during the flood", delayed)
	}
	delayed = 0
	log(10*floodLines, 20*time.Millisecond)
	if delayed > floodLines {
		t.Errorf("%d delayed lines after it", delayed)
	}
}

func TestAFloodingLogIsDelayedAndReported(t *testing.T) {
	o := attached(t)
	o.start("a", "floods")
	o.stop("a", 5*time.Second)
	events := o.until(t, "a", driverpb.Kind_CLOSED)
	last := events[len(events)-2]
	if len(events) != noticeLimit+3 || last.Text != "more than 100 log lines in 1s: every further line is delayed by 5ms" {
		t.Errorf("%d events, before the end %v", len(events), last)
	}
}
