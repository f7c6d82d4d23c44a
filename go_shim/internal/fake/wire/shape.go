package wire

import (
	"fmt"
	"reflect"

	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Shape builds the response of a broker when a request fails as a whole. An API without an error field is an error.
func Shape(req kmsg.Request, code int16) (kmsg.Response, error) {
	resp := req.ResponseKind()
	if fill := fillers[kmsg.Key(req.Key())]; fill != nil && fill(req, resp, code) {
		return resp, nil
	}
	if Splits(req.Key()) {
		codes := Codes{}
		for i := range CallOf(0, req, func([16]byte) string { return "" }).Objects {
			codes[i] = rules.Code{Code: code}
		}
		Add(resp, req, codes)
		return resp, nil
	}
	field := reflect.ValueOf(resp).Elem().FieldByName("ErrorCode")
	if !field.IsValid() {
		return nil, fmt.Errorf("no error response is known for API %s", kmsg.NameForKey(req.Key()))
	}
	field.SetInt(int64(code))
	return resp, nil
}

// fillers handle the APIs whose errors are in rows in some versions; false means that the error is at the top.
var fillers = map[kmsg.Key]func(req kmsg.Request, resp kmsg.Response, code int16) bool{
	kmsg.OffsetCommit:          fillOffsetCommit,
	kmsg.OffsetFetch:           fillOffsetFetch,
	kmsg.TxnOffsetCommit:       fillTxnOffsetCommit,
	kmsg.AddPartitionsToTxn:    fillAddPartitions,
	kmsg.DescribeGroups:        fillDescribeGroups,
	kmsg.ConsumerGroupDescribe: fillConsumerGroupDescribe,
	kmsg.JoinGroup:             fillJoinGroup,
	kmsg.InitProducerID:        fillInitProducerID,
	kmsg.CreateTopics:          fillCreateTopics,
	kmsg.ShareFetch:            fillShareFetch,
	kmsg.ShareAcknowledge:      fillShareAcknowledge,
}

func fillShareFetch(_ kmsg.Request, resp kmsg.Response, code int16) bool {
	resp.(*kmsg.ShareFetchResponse).ErrorCode = code
	return true
}

func fillShareAcknowledge(_ kmsg.Request, resp kmsg.Response, code int16) bool {
	resp.(*kmsg.ShareAcknowledgeResponse).ErrorCode = code
	return true
}

func fillOffsetCommit(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.OffsetCommitResponse)
	for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
		topic := kmsg.NewOffsetCommitResponseTopic()
		topic.Topic, topic.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			topic.Partitions = append(topic.Partitions, kmsg.OffsetCommitResponseTopicPartition{Partition: p.Partition, ErrorCode: code})
		}
		out.Topics = append(out.Topics, topic)
	}
	return true
}

func fillOffsetFetch(req kmsg.Request, resp kmsg.Response, code int16) bool {
	in, out := req.(*kmsg.OffsetFetchRequest), resp.(*kmsg.OffsetFetchResponse)
	for _, g := range in.Groups {
		group := kmsg.NewOffsetFetchResponseGroup()
		group.Group, group.ErrorCode = g.Group, code
		out.Groups = append(out.Groups, group)
	}
	if in.Version < 2 {
		out.Topics = NoOffsets(in.Topics, code)
	}
	return in.Version < 2 || in.Version > 7
}

// NoOffsets returns the rows of partitions without a committed offset.
func NoOffsets(asked []kmsg.OffsetFetchRequestTopic, code int16) (topics []kmsg.OffsetFetchResponseTopic) {
	for _, t := range asked {
		topic := kmsg.NewOffsetFetchResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			row := kmsg.NewOffsetFetchResponseTopicPartition()
			row.Partition, row.ErrorCode, row.Offset, row.LeaderEpoch = p, code, -1, -1
			row.Metadata = kmsg.StringPtr("")
			topic.Partitions = append(topic.Partitions, row)
		}
		topics = append(topics, topic)
	}
	return topics
}

func fillTxnOffsetCommit(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.TxnOffsetCommitResponse)
	for _, t := range req.(*kmsg.TxnOffsetCommitRequest).Topics {
		topic := kmsg.NewTxnOffsetCommitResponseTopic()
		topic.Topic, topic.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			topic.Partitions = append(topic.Partitions, kmsg.TxnOffsetCommitResponseTopicPartition{Partition: p.Partition, ErrorCode: code})
		}
		out.Topics = append(out.Topics, topic)
	}
	return true
}

func fillAddPartitions(req kmsg.Request, resp kmsg.Response, code int16) bool {
	in, out := req.(*kmsg.AddPartitionsToTxnRequest), resp.(*kmsg.AddPartitionsToTxnResponse)
	if in.Version > 3 {
		return false
	}
	for _, t := range in.Topics {
		topic := kmsg.NewAddPartitionsToTxnResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			topic.Partitions = append(topic.Partitions, kmsg.AddPartitionsToTxnResponseTopicPartition{Partition: p, ErrorCode: code})
		}
		out.Topics = append(out.Topics, topic)
	}
	return true
}

func fillDescribeGroups(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.DescribeGroupsResponse)
	for _, name := range req.(*kmsg.DescribeGroupsRequest).Groups {
		group := kmsg.NewDescribeGroupsResponseGroup()
		group.Group, group.ErrorCode = name, code
		out.Groups = append(out.Groups, group)
	}
	return true
}

func fillConsumerGroupDescribe(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.ConsumerGroupDescribeResponse)
	for _, name := range req.(*kmsg.ConsumerGroupDescribeRequest).Groups {
		group := kmsg.NewConsumerGroupDescribeResponseGroup()
		group.Group, group.ErrorCode = name, code
		out.Groups = append(out.Groups, group)
	}
	return true
}

func fillJoinGroup(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.JoinGroupResponse)
	out.ErrorCode, out.Generation, out.MemberID = code, -1, req.(*kmsg.JoinGroupRequest).MemberID
	return true
}

func fillInitProducerID(_ kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.InitProducerIDResponse)
	out.ErrorCode, out.ProducerID, out.ProducerEpoch = code, -1, -1
	return true
}

func fillCreateTopics(req kmsg.Request, resp kmsg.Response, code int16) bool {
	out := resp.(*kmsg.CreateTopicsResponse)
	for _, t := range req.(*kmsg.CreateTopicsRequest).Topics {
		topic := kmsg.NewCreateTopicsResponseTopic()
		topic.Topic, topic.ErrorCode = t.Topic, code
		out.Topics = append(out.Topics, topic)
	}
	return true
}

// Overwrite sets codes in the response of an executed request. Several keys in one request are distinguished where the
// response names them; otherwise the whole response gets the first code.
func Overwrite(req kmsg.Request, resp kmsg.Response, codes Codes) (kmsg.Response, error) {
	keys := keysOf(req)
	if len(keys) > 1 {
		for i, code := range codes {
			overwriteGroup(resp, keys[i].Key, code.Code)
		}
		return resp, nil
	}
	return Shape(req, codes[0].Code)
}

func overwriteGroup(resp kmsg.Response, group string, code int16) {
	switch r := resp.(type) {
	case *kmsg.OffsetFetchResponse:
		for i := range r.Groups {
			if r.Groups[i].Group == group {
				r.Groups[i].ErrorCode, r.Groups[i].Topics = code, nil
			}
		}
	case *kmsg.DescribeGroupsResponse:
		for i := range r.Groups {
			if r.Groups[i].Group == group {
				r.Groups[i] = kmsg.DescribeGroupsResponseGroup{Group: group, ErrorCode: code}
			}
		}
	case *kmsg.ConsumerGroupDescribeResponse:
		for i := range r.Groups {
			if r.Groups[i].Group == group {
				r.Groups[i].ErrorCode = code
			}
		}
	}
}
