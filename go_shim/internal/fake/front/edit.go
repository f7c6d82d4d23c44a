package front

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// edit turns the state machine's response into a broker's: with this broker's view, in the form of this release.
func (f *Front) edit(req kmsg.Request, resp kmsg.Response, broker int32) kmsg.Response {
	switch r := resp.(type) {
	case *kmsg.MetadataResponse:
		f.editMetadata(req.(*kmsg.MetadataRequest), r, broker)
	case *kmsg.DescribeClusterResponse:
		f.editDescribeCluster(r, broker)
	case *kmsg.DescribeTopicPartitionsResponse:
		f.editDescribeTopics(r, broker)
	case *kmsg.ApiVersionsResponse:
		editApiVersions(r, f.offers(broker))
	case *kmsg.OffsetForLeaderEpochResponse:
		f.editEpochs(req.(*kmsg.OffsetForLeaderEpochRequest), r)
	case *kmsg.HeartbeatResponse:
		r.ErrorCode = memberOf(r.ErrorCode)
	case *kmsg.SyncGroupResponse:
		r.ErrorCode = memberOf(r.ErrorCode)
	case *kmsg.LeaveGroupResponse:
		r.ErrorCode = memberOf(r.ErrorCode)
	case *kmsg.OffsetFetchResponse:
		editOffsetFetch(req.(*kmsg.OffsetFetchRequest), r)
	default:
		editFenced(resp)
	}
	return resp
}

// memberOf returns the error that brokers send to an unknown group member (GroupMetadataManager.classicGroupHeartbeat).
func memberOf(code int16) int16 {
	if code == groupNotFound {
		return unknownMember
	}
	return code
}

// editApiVersions advertises the served versions. Up to v3 brokers omit features with a minimum of 0, which old clients
// cannot decode (KAFKA-17011); all other features stay, or new clients use the old transaction protocol.
func editApiVersions(resp *kmsg.ApiVersionsResponse, offered offer) {
	resp.ApiKeys = slices.DeleteFunc(resp.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool {
		_, ok := offered.served[k.ApiKey]
		return !ok
	})
	for i := range resp.ApiKeys {
		key := &resp.ApiKeys[i]
		r := offered.served[key.ApiKey]
		key.MinVersion, key.MaxVersion = offered.release.AdvertisedMin(key.ApiKey, r), r.Max
	}
	if resp.Version <= 3 {
		resp.SupportedFeatures = slices.DeleteFunc(resp.SupportedFeatures, func(s kmsg.ApiVersionsResponseSupportedFeature) bool {
			return s.MinVersion == 0
		})
	}
}

// editOffsetFetch gives an unknown group the response of brokers, rows with -1 and no error, unless a KIP-848 member
// asked. Metadata is never null: sarama cannot decode null from v6 on.
func editOffsetFetch(req *kmsg.OffsetFetchRequest, resp *kmsg.OffsetFetchResponse) {
	if resp.ErrorCode == groupNotFound || req.Version < 2 && len(resp.Topics) == 0 {
		resp.ErrorCode, resp.Topics = 0, wire.NoOffsets(req.Topics, 0)
	}
	for t := range resp.Topics {
		for p := range resp.Topics[t].Partitions {
			fillMetadata(&resp.Topics[t].Partitions[p].Metadata)
		}
	}
	for g := range resp.Groups {
		group := &resp.Groups[g]
		if group.ErrorCode == groupNotFound && g < len(req.Groups) && req.Groups[g].MemberEpoch <= 0 {
			group.ErrorCode, group.Topics = 0, noGroupOffsets(req.Groups[g].Topics)
		}
		for t := range group.Topics {
			for p := range group.Topics[t].Partitions {
				fillMetadata(&group.Topics[t].Partitions[p].Metadata)
			}
		}
	}
}

func noGroupOffsets(asked []kmsg.OffsetFetchRequestGroupTopic) (topics []kmsg.OffsetFetchResponseGroupTopic) {
	for _, t := range asked {
		topic := kmsg.NewOffsetFetchResponseGroupTopic()
		topic.Topic, topic.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			row := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			row.Partition, row.Offset, row.LeaderEpoch = p, -1, -1
			topic.Partitions = append(topic.Partitions, row)
		}
		topics = append(topics, topic)
	}
	return topics
}

func fillMetadata(metadata **string) {
	if *metadata == nil {
		*metadata = kmsg.StringPtr("")
	}
}

// editEpochs fills in the end offsets of earlier epochs. The state machine returns -1 until the current leader has
// written, which consumers treat as lost records.
func (f *Front) editEpochs(req *kmsg.OffsetForLeaderEpochRequest, resp *kmsg.OffsetForLeaderEpochResponse) {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := map[topicPartition]int32{}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			asked[topicPartition{t.Topic, p.Partition}] = p.LeaderEpoch
		}
	}
	for _, t := range resp.Topics {
		for i := range t.Partitions {
			row := &t.Partitions[i]
			p, ok := f.newest().Partition(t.Topic, row.Partition)
			if !ok || row.ErrorCode != 0 {
				continue
			}
			if term, end, earlier := p.EndOf(asked[topicPartition{t.Topic, row.Partition}]); earlier {
				row.LeaderEpoch, row.EndOffset = term, end
			}
		}
	}
}
