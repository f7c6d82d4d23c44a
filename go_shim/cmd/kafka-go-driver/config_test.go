package main

import (
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// TestDefaultsAreAWritersOwn: a Writer that sets nothing requests no acknowledgement, every other profile all of them.
func TestDefaultsAreAWritersOwn(t *testing.T) {
	for profile, want := range map[string]string{"defaults": "0", "isolated": "all", "acks-1": "1"} {
		c, err := configure(&driverpb.Start{Role: "producer", Profile: profile, Bootstrap: []string{"127.0.0.1:1"}, Topic: "t"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := writerSettings(c, c.writer)["acks"]; got != want {
			t.Errorf("profile %s: acks %s, want %s", profile, got, want)
		}
	}
}
