package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func order(role, profile string, properties map[string]string) *driverpb.Start {
	return &driverpb.Start{
		Instance: "i", ClientId: "c", Role: role, Profile: profile, Properties: properties, Topic: "t", Group: "g",
		Bootstrap: []string{"127.0.0.1:1"}, Partitions: []int32{0, 1}, Broker: "3.9",
	}
}

func written(t *testing.T, start *driverpb.Start) map[string]any {
	t.Helper()
	c, err := configure(start, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.text()
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// find returns the value below these names.
func find(t *testing.T, read map[string]any, names ...string) any {
	t.Helper()
	for _, name := range names[:len(names)-1] {
		below, found := read[name].(map[string]any)
		if !found {
			t.Fatalf("no section %s in %v", name, read)
		}
		read = below
	}
	return read[names[len(names)-1]]
}

func TestAProducersKafkaIsAnExporter(t *testing.T) {
	read := written(t, order("producer", "acks-1", map[string]string{
		"sending_queue.enabled": "false", "producer.linger": "1s", "include_metadata_keys": `["a"]`,
	}))
	for _, wanted := range []struct {
		names []string
		value any
	}{
		{[]string{"exporters", "kafka", "producer", "required_acks"}, 1.0},
		{[]string{"exporters", "kafka", "producer", "linger"}, "1s"},
		{[]string{"exporters", "kafka", "sending_queue", "enabled"}, false},
		{[]string{"exporters", "kafka", "logs", "topic"}, "t"},
		{[]string{"exporters", "kafka", "metadata", "refresh_interval"}, "1h"},
	} {
		if found := find(t, read, wanted.names...); found != wanted.value {
			t.Errorf("%v is %v, not %v", wanted.names, found, wanted.value)
		}
	}
}

func TestAGroupsKafkaIsAReceiver(t *testing.T) {
	read := written(t, order("group", "isolated", nil))
	if found := find(t, read, "receivers", "kafka", "group_id"); found != "g" {
		t.Error(found)
	}
	if _, found := find(t, read, "exporters", "probe").(map[string]any); !found {
		t.Error(read)
	}
}

func TestTheDefaultsSetNoInterval(t *testing.T) {
	if found := find(t, written(t, order("producer", "defaults", nil)), "exporters", "kafka", "metadata"); found != nil {
		t.Error(found)
	}
}

func TestFeatureGatesAreNoKeyOfTheSection(t *testing.T) {
	c, err := configure(order("producer", "isolated", map[string]string{gates: "-a.B,c.D"}), nil)
	if err != nil || len(c.gates) != 2 || c.gates[0] != "-a.B" || c.kafka[gates] != nil {
		t.Error(c, err)
	}
}

func TestAnUnsupportedRequestIsRefusedByName(t *testing.T) {
	for name, start := range map[string]*driverpb.Start{
		"brokers.first": order("producer", "isolated", map[string]string{"brokers.first": "1"}),
		"client_id":     order("producer", "isolated", map[string]string{"client_id": "x"}),
		"wishful":       order("producer", "wishful", nil),
		"acks-1":        order("group", "acks-1", nil),
	} {
		if _, err := configure(start, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
