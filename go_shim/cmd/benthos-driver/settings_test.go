package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func order(role, profile string, properties map[string]string) *driverpb.Start {
	return &driverpb.Start{Instance: "i", Role: role, Profile: profile, Properties: properties}
}

func TestAPropertyIsAKeyOfTheSection(t *testing.T) {
	set, err := configure(order("producer", "zstd", map[string]string{
		"backoff.max_elapsed_time": "5s", "max_in_flight": "1", "rack_id": "a",
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := set.section(map[string]any{"topic": "t"})
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]map[string]any
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	section := read[chosen.name]
	for key, wanted := range map[string]any{"compression": "zstd", "max_in_flight": 1.0, "rack_id": "a", "topic": "t"} {
		if section[key] != wanted {
			t.Errorf("%s is %v, not %v", key, section[key], wanted)
		}
	}
	if below, _ := section["backoff"].(map[string]any); below["max_elapsed_time"] != "5s" {
		t.Error(text)
	}
}

func TestSettingsAreTheEffectiveOnes(t *testing.T) {
	set := settings{"timeout": "2s", "ack_replicas": "true", "start_from_oldest": "false"}
	writes, reads := set.effective("producer"), set.effective("group")
	if writes["request_timeout_ms"] != "2000" || writes["acks"] != "all" {
		t.Error(writes)
	}
	if reads["offset_reset"] != "latest" || reads["request_timeout_ms"] != "" {
		t.Error(reads)
	}
}

func TestAnUnsupportedRequestIsRefusedByName(t *testing.T) {
	for name, start := range map[string]*driverpb.Start{
		"partitioner": order("producer", "isolated", map[string]string{"partitioner": "round_robin"}),
		"wishful":     order("producer", "wishful", nil),
		"zstd":        order("group", "zstd", nil),
	} {
		if _, err := configure(start, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
