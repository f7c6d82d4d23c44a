package driver

import (
	"testing"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func TestLinesWithoutAPauseAreSlowed(t *testing.T) {
	now, heard := time.Now(), chatter{}
	slow := 0
	say := func(lines int, apart time.Duration) {
		for range lines {
			now = now.Add(apart)
			if slowed, _ := heard.hears(now); slowed {
				slow++
			}
		}
	}
	say(2*chatterLines, time.Millisecond)
	if slow != 1 {
		t.Errorf("%d slow lines before it was known", slow)
	}
	say(10*chatterLines, slowLine) // slowed, it chatters all the same
	if slow != 1+10*chatterLines {
		t.Errorf("%d slow lines while it chattered", slow)
	}
	slow = 0
	say(10*chatterLines, 20*time.Millisecond)
	if slow > chatterLines {
		t.Errorf("%d slow lines after it", slow)
	}
}

func TestALogThatFloodsIsSlowedAndSaysSo(t *testing.T) {
	o := attached(t)
	o.start("a", "floods")
	o.stop("a", 5*time.Second)
	events := o.until(t, "a", driverpb.Kind_CLOSED)
	last := events[len(events)-2]
	if len(events) != noticeLimit+3 || last.Text != "it logs more than 100 lines in 1s: each takes it 5ms more from here on" {
		t.Errorf("%d events, before the end %v", len(events), last)
	}
}
