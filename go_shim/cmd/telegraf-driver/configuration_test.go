package main

import (
	"hash/fnv"
	"strings"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/internal/driver"
	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

func order(role, profile string, properties map[string]string) *driverpb.Start {
	return &driverpb.Start{
		Instance: "i", ClientId: "c", Role: role, Profile: profile, Properties: properties, Topic: "t", Group: "g",
		Bootstrap: []string{"127.0.0.1:1", "127.0.0.1:2"}, Partitions: []int32{0, 1}, Broker: "3.9",
	}
}

func written(t *testing.T, start *driverpb.Start) string {
	t.Helper()
	c, err := configure(start, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.text()
}

func TestAProducerIsConfiguredInSections(t *testing.T) {
	text := written(t, order("producer", "isolated", map[string]string{
		"outputs.kafka.max_retry": "10", "agent.flush_interval": "1s", "outputs.kafka.exclude_topic_tag": "true",
	}))
	for _, wanted := range []string{
		"[agent]\n", "[[outputs.kafka]]\n", "[[inputs.socket_listener]]\n", "  flush_interval = \"1s\"\n", "  max_retry = 10\n",
		"  exclude_topic_tag = true\n", "  brokers = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n", "  version = \"3.9.0\"\n",
	} {
		if !strings.Contains(text, wanted) {
			t.Errorf("%q is missing in\n%s", wanted, text)
		}
	}
}

func TestAGroupReadsAndWritesToStandardOutput(t *testing.T) {
	text := written(t, order("group", "oldest-protocol", nil))
	for _, wanted := range []string{"[[inputs.kafka_consumer]]", `version = "0.11.0.0"`, `consumer_group = "g"`, `["stdout"]`} {
		if !strings.Contains(text, wanted) {
			t.Errorf("%q is missing in\n%s", wanted, text)
		}
	}
}

func TestTheDefaultsSetNoVersion(t *testing.T) {
	if text := written(t, order("producer", "defaults", nil)); strings.Contains(text, "version") {
		t.Error(text)
	}
}

func TestAnUnsupportedRequestIsRefusedByName(t *testing.T) {
	for name, start := range map[string]*driverpb.Start{
		"invented.section.key":    order("producer", "isolated", map[string]string{"invented.section.key": "1"}),
		"bare":                    order("producer", "isolated", map[string]string{"bare": "1"}),
		"outputs.kafka.client_id": order("producer", "isolated", map[string]string{"outputs.kafka.client_id": "x"}),
		"wishful":                 order("producer", "wishful", nil),
		"acks-1":                  order("group", "acks-1", nil),
	} {
		if _, err := configure(start, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAKeyKeepsItsPartitionInAGrowingTopic(t *testing.T) {
	for partition := range int32(4) {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(driver.KeyOf(partition)))
		for _, count := range []int32{4, 5, 6, 10} {
			if found := int32(hash.Sum32()) % count; found != partition {
				t.Errorf("%s is in %d of %d", driver.KeyOf(partition), found, count)
			}
		}
	}
}

func TestLiteralsAreTOML(t *testing.T) {
	for given, wanted := range map[string]string{
		"10": "10", "true": "true", "1s": `"1s"`, "3.9.0": `"3.9.0"`, "[1, 2]": "[1, 2]", `"1.0"`: `"1.0"`, `a"b`: `"a\"b"`,
	} {
		if found := literal(given); found != wanted {
			t.Errorf("%s became %s, not %s", given, found, wanted)
		}
	}
}

func TestSettingsAreTheEffectiveOnes(t *testing.T) {
	c, err := configure(order("producer", "idempotent", map[string]string{"outputs.kafka.max_retry": "7"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	settings := writerSettings(c)
	for name, wanted := range map[string]string{"acks": "all", "idempotence": "true", "retries": "7", "linger_ms": "100"} {
		if settings[name] != wanted {
			t.Errorf("%s is %q, not %q", name, settings[name], wanted)
		}
	}
}

func TestARecordIsReadOutOfALine(t *testing.T) {
	if parts := strings.Fields(driver.Value("feed", 1, 17, 99)); len(parts) != 4 {
		t.Fatal(parts)
	}
	for line, wanted := range map[string]string{
		"kafka_consumer value=\"feed 1 17 99\" 170000": "feed 1 17 99",
		"kafka_consumer value=\"feed 1 17\" 170000":    "",
		"kafka_consumer other=1 170000":                "",
		"value=\"feed x 17 99\"":                       "",
	} {
		if value, _, _ := valueOf(line); value != wanted {
			t.Errorf("%q of %q", value, line)
		}
	}
}
