// Package release holds the differences between the responses of Kafka releases. A release line is major.minor, as in
// 3.9.
package release

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Release is one release line of Kafka.
type Release struct {
	Name         string
	Caps         *kversion.Versions // highest version of every API in this release
	major, minor int
}

// VersionRange is the versions of one API that a broker serves, both ends included.
type VersionRange struct{ Min, Max int16 }

var pattern = regexp.MustCompile(`^(\d+)\.(\d+)(?:\.\d+){0,2}$`)

// Parse reads a release line or an exact version ("3.9", "3.9.2"). The error text is one line and names valid values.
func Parse(name string) (*Release, error) {
	m := pattern.FindStringSubmatch(name)
	caps := kversion.FromString(name) // nil means "uncapped" to kfake, so it must never get there
	if m == nil || caps == nil {
		return nil, fmt.Errorf("unknown broker line %q: give one such as 3.9, 2.6 or 4.4", name)
	}
	if produce, _ := caps.LookupMaxKeyVersion(int16(kmsg.Produce)); produce < 3 {
		return nil, fmt.Errorf("broker line %q cannot be embedded: it knows Produce only below version 3; use the kafka engine", name)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	r := &Release{Name: name, major: major, minor: minor}
	r.Caps = r.Versions()
	return r, nil
}

// AtLeast reports whether this release is major.minor or newer.
func (r *Release) AtLeast(major, minor int) bool {
	return r.major > major || r.major == major && r.minor >= minor
}

// Code returns the error code that a broker of this release sends for an error of its storage layer.
// KAFKA_STORAGE_ERROR (56) is sent as NOT_LEADER_OR_FOLLOWER (6) for Produce up to v3 on 1.0 to 2.7, and for Fetch up
// to v5 on all releases.
func (r *Release) Code(api, version, code int16) int16 {
	const storage, notLeader = 56, 6
	switch {
	case code != storage:
	case api == int16(kmsg.Produce) && version <= 3 && !r.AtLeast(2, 8):
		return notLeader
	case api == int16(kmsg.Fetch) && version <= 5:
		return notLeader
	}
	return code
}

// Hints reports whether responses of this API and version have fields for the new leader (KIP-951).
func (r *Release) Hints(api, version int16) bool {
	if !r.AtLeast(3, 7) {
		return false
	}
	shares := kmsg.Key(api) == kmsg.ShareFetch || kmsg.Key(api) == kmsg.ShareAcknowledge
	return api == int16(kmsg.Produce) && version >= 10 || api == int16(kmsg.Fetch) && version >= 16 || shares
}

// AdvertisedMin returns the lowest version of an API in ApiVersions, which is not always served: from 4.0 on brokers
// advertise Produce from 0 and close the connection on 0 to 2, since librdkafka up to 2.x takes a higher minimum for a
// broker that cannot compress (KAFKA-18659).
func (r *Release) AdvertisedMin(api int16, served VersionRange) int16 {
	if api == int16(kmsg.Produce) && r.AtLeast(4, 0) {
		return 0
	}
	return served.Min
}

// newGroups are the APIs of the new group protocols that brokers advertise as a preview before these releases: of KIP-848
// group.coordinator.rebalance.protocols does not name the protocol by default (recorded of 3.9.2 in
// cmd/fake-cluster/testdata), of KIP-932 the feature share.version is 0 (ShareVersion.java of 4.1).
var newGroups = map[kmsg.Key]number{
	kmsg.ConsumerGroupHeartbeat: {4, 0},
	kmsg.ShareGroupHeartbeat:    {4, 2},
	kmsg.ShareGroupDescribe:     {4, 2},
	kmsg.ShareFetch:             {4, 2},
	kmsg.ShareAcknowledge:       {4, 2},
}

// Disabled reports whether brokers advertise an API and answer UNSUPPORTED_VERSION (35) to every version of it.
func (r *Release) Disabled(api int16) bool {
	since, preview := newGroups[kmsg.Key(api)]
	return preview && !r.AtLeast(since.major, since.minor)
}

// RelaxesCommits reports whether a commit of an older member epoch is taken for partitions that the member kept
// (KIP-1251, KAFKA-20066); before, it is answered STALE_MEMBER_EPOCH (113).
func (r *Release) RelaxesCommits() bool { return r.AtLeast(4, 3) }

// RefusesTopicNames reports whether Metadata answers INVALID_TOPIC_EXCEPTION for a name that no topic can have; before
// 2.8 such a topic was unknown (KafkaApis.getTopicMetadata, read in 2.7.2 and 2.8.2).
func (r *Release) RefusesTopicNames() bool { return r.AtLeast(2, 8) }

var topicCharacters = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// TopicNameFault returns why no topic can have a name; empty if one can (org.apache.kafka.common.internals.Topic).
func TopicNameFault(name string) string {
	const longest = 249
	switch {
	case name == "":
		return "the empty string is not allowed"
	case name == "." || name == "..":
		return fmt.Sprintf("'%s' is not allowed", name)
	case len(name) > longest:
		return fmt.Sprintf("the length of '%s' is longer than the max allowed length %d", name, longest)
	case !topicCharacters.MatchString(name):
		return fmt.Sprintf("'%s' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'", name)
	}
	return ""
}

// FollowerFetch reports whether an in-sync replica that does not lead serves this Fetch version (KIP-392).
func (r *Release) FollowerFetch(version int16) bool { return r.AtLeast(2, 4) && version >= 11 }

// ReadBounds reads {"<apiKey>":[min,max]} as extracted from Kafka's own message definitions.
func ReadBounds(file string) (map[int16]VersionRange, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("version bounds: %w", err)
	}
	var pairs map[int16][2]int16
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, fmt.Errorf("version bounds %s: want {\"<apiKey>\":[min,max]}: %w", file, err)
	}
	bounds := make(map[int16]VersionRange, len(pairs))
	for key, pair := range pairs {
		bounds[key] = VersionRange{pair[0], pair[1]}
	}
	return bounds, nil
}

// Cap lowers served ranges to the versions of this release. An API that the release lacks, or has in lower versions
// only, is left out.
func (r *Release) Cap(served map[int16]VersionRange) map[int16]VersionRange {
	capped := make(map[int16]VersionRange, len(served))
	for api, versions := range served {
		if highest, known := r.Caps.LookupMaxKeyVersion(api); known && highest >= versions.Min {
			capped[api] = VersionRange{versions.Min, min(versions.Max, highest)}
		}
	}
	return capped
}

// telemetry are the APIs of client metrics (KIP-714), which a broker has with a receiver plugin only.
var telemetry = []kmsg.Key{kmsg.GetTelemetrySubscriptions, kmsg.PushTelemetry}

// Served intersects the version ranges of the state machine with the bounds. An API whose range becomes empty is left
// out, so it is neither advertised nor accepted; an API without bounds keeps its range.
func Served(offered []kmsg.ApiVersionsResponseApiKey, bounds map[int16]VersionRange) map[int16]VersionRange {
	served := make(map[int16]VersionRange, len(offered))
	for _, key := range offered {
		r := VersionRange{key.MinVersion, key.MaxVersion}
		if bound, ok := bounds[key.ApiKey]; ok {
			r = VersionRange{max(r.Min, bound.Min), min(r.Max, bound.Max)}
		}
		if r.Min <= r.Max && !slices.Contains(telemetry, kmsg.Key(key.ApiKey)) {
			served[key.ApiKey] = r
		}
	}
	return served
}

// DelaysRefusals reports whether brokers answer a log-in that fails after a pause (KIP-306).
func (r *Release) DelaysRefusals() bool { return r.AtLeast(2, 1) }

// ChecksNonces reports whether brokers check the nonce of SCRAM's last message (CVE-2024-56128: 3.7.2, 3.8.1, 3.9.0; each
// line is played in its newest version).
func (r *Release) ChecksNonces() bool { return r.AtLeast(3, 7) }
