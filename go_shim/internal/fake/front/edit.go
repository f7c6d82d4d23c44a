package front

import (
	"slices"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/line"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// edit makes the state machine's answer a broker's: what this broker knows, as this line says it.
func (f *Front) edit(req kmsg.Request, resp kmsg.Response, broker int32) kmsg.Response {
	switch r := resp.(type) {
	case *kmsg.MetadataResponse:
		f.editMetadata(req.(*kmsg.MetadataRequest), r, broker)
	case *kmsg.DescribeClusterResponse:
		f.editDescribeCluster(r, broker)
	case *kmsg.DescribeTopicPartitionsResponse:
		f.editDescribeTopics(r, broker)
	case *kmsg.ApiVersionsResponse:
		f.editApiVersions(r, f.serves(broker))
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
	}
	return resp
}

// memberOf is what brokers say to a member of a group that they do not know (GroupMetadataManager.classicGroupHeartbeat).
func memberOf(code int16) int16 {
	if code == groupNotFound {
		return unknownMember
	}
	return code
}

// editApiVersions advertises what is served. Up to v3 brokers leave out features with a minimum of 0, which clients of
// that age cannot read (KAFKA-17011); nothing else of the features may be touched, or new clients fall back to the old
// transaction protocol.
func (f *Front) editApiVersions(resp *kmsg.ApiVersionsResponse, served map[int16]line.Range) {
	resp.ApiKeys = slices.DeleteFunc(resp.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool {
		_, ok := served[k.ApiKey]
		return !ok
	})
	for i := range resp.ApiKeys {
		r := served[resp.ApiKeys[i].ApiKey]
		resp.ApiKeys[i].MinVersion, resp.ApiKeys[i].MaxVersion = r.Min, r.Max
	}
	if resp.Version <= 3 {
		resp.SupportedFeatures = slices.DeleteFunc(resp.SupportedFeatures, func(s kmsg.ApiVersionsResponseSupportedFeature) bool {
			return s.MinVersion == 0
		})
	}
}

// refuseApiVersions answers a version that the broker does not know, whatever its body: v0, error 35, and the versions
// that it knows (KIP-511).
func refuseApiVersions(served line.Range) kmsg.Response {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.ErrorCode = unsupportedVersion
	key := kmsg.NewApiVersionsResponseApiKey()
	key.ApiKey, key.MinVersion, key.MaxVersion = int16(kmsg.ApiVersions), served.Min, served.Max
	resp.ApiKeys = append(resp.ApiKeys, key)
	return resp
}

// editOffsetFetch gives an unknown group the answer of brokers, rows with -1 and no error, unless a KIP-848 member
// asked; and metadata is never null (sarama cannot decode that from v6 on).
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

// editEpochs answers where earlier epochs ended. The state machine does not know it while the current leader has not
// written anything yet, and says -1, which consumers take for lost records.
func (f *Front) editEpochs(req *kmsg.OffsetForLeaderEpochRequest, resp *kmsg.OffsetForLeaderEpochResponse) {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := map[place]int32{}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			asked[place{t.Topic, p.Partition}] = p.LeaderEpoch
		}
	}
	for _, t := range resp.Topics {
		for i := range t.Partitions {
			row := &t.Partitions[i]
			p, ok := f.newest().Partition(t.Topic, row.Partition)
			if !ok || row.ErrorCode != 0 {
				continue
			}
			if term, end, earlier := p.EndOf(asked[place{t.Topic, row.Partition}]); earlier {
				row.LeaderEpoch, row.EndOffset = term, end
			}
		}
	}
}
