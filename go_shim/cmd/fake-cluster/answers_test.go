package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/survey"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestNewGroupsAreAPreview: brokers before 4.0 advertise the new group protocol and refuse it, as 3.9.2 does.
func TestNewGroupsAreAPreview(t *testing.T) {
	for line, want := range map[string]string{"3.9": survey.Unsupported, "4.4": survey.Served} {
		found, err := survey.Ask(start(t, line).brokers[1])
		fatal(t, err)
		group, advertised := found[int16(kmsg.ConsumerGroupHeartbeat)]
		if !advertised || group.Answers[0] != want {
			t.Errorf("%s: %v, want %s", line, group, want)
		}
		if topics := found[int16(kmsg.Metadata)]; topics.Answers[0] != survey.Served {
			t.Errorf("%s: %v", line, topics)
		}
	}
}
