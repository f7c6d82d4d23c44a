package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// TestAHangingCloseLeavesTimeForItsReport: a tenth of the deadline.
func TestAHangingCloseLeavesTimeForItsReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		instance, out := instanceWith(&driverpb.Start{Instance: "a"})
		begin := time.Now()
		instance.stop(500 * time.Millisecond)
		if took := time.Since(begin); took != 450*time.Millisecond {
			t.Errorf("close took %v", took)
		}
		if events := out.take(); len(events) != 1 || events[0].Kind != driverpb.Kind_FATAL {
			t.Error(events)
		}
		close(instance.opened)
	})
}
