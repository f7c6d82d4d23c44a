package driver

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMissedTicksAreNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done, count := make(chan struct{}), 0
		time.AfterFunc(300*time.Millisecond, func() { close(done) })
		Tick(done, Fixed(10*time.Millisecond), func() { count++; time.Sleep(95 * time.Millisecond) })
		if count < 2 || count > 4 {
			t.Fatal(count)
		}
	})
}
