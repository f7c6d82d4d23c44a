package release

import (
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// kraftOnly are the APIs that only brokers without ZooKeeper have, with their first release. kversion's tables up to 3.9
// are those of brokers with ZooKeeper, where lines from 3.5 on are played as KRaft (probe/scenarios/session_timeouts.py).
// The state machine lacks the other APIs of that kind: delegation tokens, requests about the quorum.
var kraftOnly = map[kmsg.Key]number{kmsg.ListConfigResources: {3, 7}, kmsg.DescribeTopicPartitions: {3, 8}}

// Versions returns the highest version of every API in this release, as a copy that the caller may change.
func (r *Release) Versions() *kversion.Versions {
	versions := kversion.FromString(r.Name)
	for api, since := range kraftOnly {
		if r.AtLeast(since.major, since.minor) && !versions.HasKey(int16(api)) {
			versions.SetMaxKeyVersion(int16(api), 0)
		}
	}
	return versions
}
