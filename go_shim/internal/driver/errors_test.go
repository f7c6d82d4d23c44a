package driver

import (
	"errors"
	"fmt"
	"net"
	"testing"
)

func TestErrorsAreNamed(t *testing.T) {
	for code, want := range map[int32]string{
		-1: "UNKNOWN_SERVER_ERROR", 0: "NONE", 6: "NOT_LEADER_OR_FOLLOWER", 16: "NOT_COORDINATOR",
		56: "KAFKA_STORAGE_ERROR", 74: "FENCED_LEADER_EPOCH", 100: "UNKNOWN_TOPIC_ID", 129: "REBOOTSTRAP_REQUIRED", 999: "CODE_999",
	} {
		if got := ProtocolName(code); got != want {
			t.Errorf("%d is %s, not %s", code, got, want)
		}
	}
	wrapped := Describe(fmt.Errorf("dial: %w", &net.OpError{Op: "dial", Err: errors.New("refused\xff")}))
	if wrapped.Code != -1 || wrapped.Type != "errors.errorString" || wrapped.Text != "dial: dial: refused?" {
		t.Error(wrapped)
	}
}
