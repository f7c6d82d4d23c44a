package main

import (
	"fmt"
	"io"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// After a lost commit an abort sends nothing and succeeds, while the broker may have committed.
func TestAnAbortFollowsAFailedCommitOnlyWhereTheLibraryAsksForIt(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{kerr.NotCoordinator, false},
		{kerr.InvalidProducerEpoch, false},
		{kerr.OperationNotAttempted, true},
		{fmt.Errorf("ending: %w", kerr.OperationNotAttempted), true},
		{kerr.ErrorForCode(transactionAbortable), true},
	} {
		if got := abortable(c.err); got != c.want {
			t.Errorf("abortable(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}
