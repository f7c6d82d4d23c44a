package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func TestAFullBatchIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, done, sent := newOutbox(), make(chan struct{}), make(chan int, 8)
		defer close(done)
		for range batchLimit {
			out.add(&driverpb.Event{})
		}
		begin := time.Now()
		go out.run(done, func(batch []*driverpb.Event) error { sent <- len(batch); return nil })
		if size := <-sent; size != batchLimit || time.Since(begin) > flushDelay/2 {
			t.Fatalf("%d events after %v", size, time.Since(begin))
		}
		out.add(&driverpb.Event{})
		if size := <-sent; size != 1 {
			t.Fatal(size)
		}
	})
}
