package main

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestMetadataOfAnInvalidTopicName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 250)
	for release, want := range map[string]int16{"2.6": 3, "2.8": 17, "3.9": 17, "4.4": 17} {
		r := start(t, release)
		for _, name := range []string{"a b", "a/b", "..", "", long} {
			if code, _ := firstPartition(r.raw(1).ask(metadataOf(name))); code != want {
				t.Errorf("%s, %q: error %d, want %d", release, name, code, want)
			}
		}
		if code, _ := firstPartition(r.raw(1).ask(metadataOf("a.b_c-" + long[:240]))); code != 3 {
			t.Errorf("%s: error %d of a name that a topic can have, want 3", release, code)
		}
	}
}

func createTopic(version int16, name string, configs map[string]string) *kmsg.CreateTopicsRequest {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version, req.TimeoutMillis = version, 1000
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, 2, 3
	for name, value := range configs {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = name, &value
		topic.Configs = append(topic.Configs, config)
	}
	req.Topics = append(req.Topics, topic)
	return req
}

// TestACreatedTopicCarriesItsConfigurations with their sources (KIP-525): as many as Kafka 3.9.2 and 4.4.0 list.
func TestACreatedTopicCarriesItsConfigurations(t *testing.T) {
	t.Parallel()
	for release, count := range map[string]int{"2.6": 26, "3.9": 36, "4.4": 37} {
		r := start(t, release)
		resp := r.raw(2).ask(createTopic(5, "t", map[string]string{"retention.ms": "77"})).(*kmsg.CreateTopicsResponse)
		row := resp.Topics[0]
		if row.ErrorCode != 0 || row.NumPartitions != 2 || row.ReplicationFactor != 3 || len(row.Configs) != count {
			t.Errorf("%s: %d configurations, want %d: %+v", release, len(row.Configs), count, row)
		}
		seen := map[string]bool{}
		for _, config := range row.Configs {
			want := kmsg.ConfigSourceDefaultConfig
			switch {
			case config.Name == "retention.ms":
				want = kmsg.ConfigSourceDynamicTopicConfig
			case config.Name == "min.insync.replicas" && release == "4.4": // read on 4.4.0, where ELR is final
				want = kmsg.ConfigSourceDynamicDefaultBrokerConfig
			}
			if seen[config.Name] || config.Value == nil || kmsg.ConfigSource(config.Source) != want {
				t.Errorf("%s: %+v", release, config)
			}
			seen[config.Name] = true
		}
	}
}

func TestATopicThatBrokersRefuse(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	c := r.raw(1)
	for _, refused := range []struct {
		name, config string
		want         int16
	}{{"t", "dummy.doesnotexist", 40}, {"a b", "retention.ms", 17}, {"t", "internal.segment.bytes", 40}} {
		req := createTopic(5, refused.name, map[string]string{refused.config: "1"})
		req.Topics = append(req.Topics, createTopic(5, "beside-"+refused.config, nil).Topics...)
		codes := map[string]int16{}
		for _, row := range c.ask(req).(*kmsg.CreateTopicsResponse).Topics {
			codes[row.Topic] = row.ErrorCode
		}
		if codes[refused.name] != refused.want || codes["beside-"+refused.config] != 0 || len(codes) != 2 {
			t.Errorf("%+v: errors %v", refused, codes)
		}
		if code, _ := firstPartition(c.ask(metadataOf("t"))); code != 3 {
			t.Errorf("%+v: the topic exists, error %d", refused, code)
		}
	}
}
