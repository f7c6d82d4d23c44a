package release

import (
	"math"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// number is a release line as major and minor.
type number struct{ major, minor int }

// topicConfig is one configuration of topics with its default in Kafka.
type topicConfig struct {
	name, value string
	since       number // zero = in every release
	until       number // first release without it; zero = in every later one
	internal    number // first release that lists it, though others can set it; zero = those that have it
}

var (
	v20, v23, v30 = number{2, 0}, number{2, 3}, number{3, 0}
	v36, v38, v39 = number{3, 6}, number{3, 8}, number{3, 9}
	v40, v41, v44 = number{4, 0}, number{4, 1}, number{4, 4}
	unlisted      = number{math.MaxInt, 0}
)

const (
	never = "9223372036854775807" // Long.MAX_VALUE
	week  = "604800000"
)

// topicConfigs is LogConfig's ConfigDef of Kafka 1.1.1, 2.6.2, 3.4.1, 3.9.2, 4.3.1 and 4.4.0; releases between them by
// the proposals that added or removed a configuration.
var topicConfigs = []topicConfig{
	{name: "cleanup.policy", value: "delete"},
	{name: "compression.gzip.level", value: "-1", since: v38},
	{name: "compression.lz4.level", value: "9", since: v38},
	{name: "compression.type", value: "producer"},
	{name: "compression.zstd.level", value: "3", since: v38},
	{name: "delete.retention.ms", value: "86400000"},
	{name: "errors.deadletterqueue.group.enable", value: "false", since: v44},
	{name: "file.delete.delay.ms", value: "60000"},
	{name: "flush.messages", value: never},
	{name: "flush.ms", value: never},
	{name: "follower.replication.throttled.replicas", value: ""},
	{name: "index.interval.bytes", value: "4096"},
	{name: "internal.segment.bytes", since: v41, internal: unlisted},
	{name: "leader.replication.throttled.replicas", value: ""},
	{name: "local.retention.bytes", value: "-2", since: v30, internal: v36},
	{name: "local.retention.ms", value: "-2", since: v30, internal: v36},
	{name: "max.compaction.lag.ms", value: never, since: v23},
	{name: "max.decompressed.message.bytes", value: "2147483639", since: v44},
	{name: "max.message.bytes", value: "1048588"},
	{name: "message.downconversion.enable", value: "true", since: v20, until: v40},
	{name: "message.format.version", value: "3.0-IV1", until: v40},
	{name: "message.timestamp.after.max.ms", value: never, since: v36, until: v40},
	{name: "message.timestamp.after.max.ms", value: "3600000", since: v40},
	{name: "message.timestamp.before.max.ms", value: never, since: v36},
	{name: "message.timestamp.difference.max.ms", value: never, until: v40},
	{name: "message.timestamp.type", value: "CreateTime"},
	{name: "min.cleanable.dirty.ratio", value: "0.5"},
	{name: "min.compaction.lag.ms", value: "0"},
	{name: minInSync, value: "1"},
	{name: "preallocate", value: "false"},
	{name: "remote.copy.lag.bytes", value: "-1", since: v44},
	{name: "remote.copy.lag.ms", value: "0", since: v44},
	{name: "remote.log.copy.disable", value: "false", since: v39},
	{name: "remote.log.delete.on.disable", value: "false", since: v39},
	{name: "remote.storage.enable", value: "false", since: v30, internal: v36},
	{name: "retention.bytes", value: "-1"},
	{name: "retention.ms", value: week},
	{name: "segment.bytes", value: "1073741824"},
	{name: "segment.index.bytes", value: "10485760"},
	{name: "segment.jitter.ms", value: "0"},
	{name: "segment.ms", value: week},
	{name: "unclean.leader.election.enable", value: "false"},
}

// TopicConfig is a configuration of topics and its default.
type TopicConfig struct{ Name, Value string }

// TopicConfigs returns the configurations that a broker of this release lists for a topic, by name.
func (r *Release) TopicConfigs() (listed []TopicConfig) {
	for _, c := range topicConfigs {
		if r.knows(c) && r.AtLeast(c.internal.major, c.internal.minor) {
			listed = append(listed, TopicConfig{c.name, c.value})
		}
	}
	return listed
}

// eligibleLeaderReplicas is the feature that makes min.insync.replicas a dynamic default of the cluster (KIP-966).
const eligibleLeaderReplicas, minInSync = "eligible.leader.replicas.version", "min.insync.replicas"

// DefaultSource returns the source of a configuration that was not set for its topic.
func (r *Release) DefaultSource(name string) kmsg.ConfigSource {
	source := kmsg.ConfigSourceDefaultConfig
	r.Caps.EachFinalizedFeature(func(feature string, level int16) {
		if feature == eligibleLeaderReplicas && level > 0 && name == minInSync {
			source = kmsg.ConfigSourceDynamicDefaultBrokerConfig
		}
	})
	return source
}

// HasTopicConfig reports whether a topic of this release can have a configuration of that name.
func (r *Release) HasTopicConfig(name string) bool {
	for _, c := range topicConfigs {
		if c.name == name && r.knows(c) {
			return true
		}
	}
	return false
}

func (r *Release) knows(c topicConfig) bool {
	return r.AtLeast(c.since.major, c.since.minor) && (c.until == number{} || !r.AtLeast(c.until.major, c.until.minor))
}
