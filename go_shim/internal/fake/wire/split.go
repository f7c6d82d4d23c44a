package wire

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Codes are errors by index of Call.Objects.
type Codes = map[int]rules.Code

// Splits reports whether rows can be removed from requests of this API and added to its responses.
func Splits(api int16) bool {
	switch kmsg.Key(api) {
	case kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.OffsetForLeaderEpoch, kmsg.ShareFetch, kmsg.ShareAcknowledge:
		return true
	}
	return false
}

// Cut copies a request without the rows that are not to be executed, and returns the number of rows left.
func Cut(req kmsg.Request, codes Codes) (rest kmsg.Request, left int) {
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes, func(t *kmsg.ProduceRequestTopic) *[]kmsg.ProduceRequestTopicPartition {
			return &t.Partitions
		})
		return &cut, left
	case *kmsg.FetchRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes, func(t *kmsg.FetchRequestTopic) *[]kmsg.FetchRequestTopicPartition {
			return &t.Partitions
		})
		return &cut, left
	case *kmsg.ListOffsetsRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes, func(t *kmsg.ListOffsetsRequestTopic) *[]kmsg.ListOffsetsRequestTopicPartition {
			return &t.Partitions
		})
		return &cut, left
	case *kmsg.OffsetForLeaderEpochRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes,
			func(t *kmsg.OffsetForLeaderEpochRequestTopic) *[]kmsg.OffsetForLeaderEpochRequestTopicPartition {
				return &t.Partitions
			})
		return &cut, left
	case *kmsg.ShareFetchRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes, func(t *kmsg.ShareFetchRequestTopic) *[]kmsg.ShareFetchRequestTopicPartition {
			return &t.Partitions
		})
		return &cut, left
	case *kmsg.ShareAcknowledgeRequest:
		cut := *r
		cut.Topics, left = cutTopics(r.Topics, codes,
			func(t *kmsg.ShareAcknowledgeRequestTopic) *[]kmsg.ShareAcknowledgeRequestTopicPartition {
				return &t.Partitions
			})
		return &cut, left
	}
	return req, 1
}

// cutTopics copies topics without the removed rows; a topic without rows is left out.
func cutTopics[T, P any](topics []T, codes Codes, rows func(*T) *[]P) (kept []T, left int) {
	next := 0
	for _, topic := range topics {
		partitions := rows(&topic)
		*partitions = keep(*partitions, codes, &next)
		if len(*partitions) > 0 {
			kept = append(kept, topic)
			left += len(*partitions)
		}
	}
	return kept, left
}

// keep returns the rows for the state machine; next counts the request's rows.
func keep[P any](rows []P, codes Codes, next *int) (kept []P) {
	for _, row := range rows {
		if code, coded := codes[*next]; !coded || code.Apply {
			kept = append(kept, row)
		}
		*next++
	}
	return kept
}

// Add writes the coded rows of req into its response: new rows for removed ones, the code alone for executed ones.
func Add(resp kmsg.Response, req kmsg.Request, codes Codes) {
	next := 0
	code := func() (rules.Code, bool) {
		c, coded := codes[next]
		next++
		return c, coded
	}
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		addProduce(resp.(*kmsg.ProduceResponse), r, code)
	case *kmsg.FetchRequest:
		addFetch(resp.(*kmsg.FetchResponse), r, code)
	case *kmsg.ListOffsetsRequest:
		addListOffsets(resp.(*kmsg.ListOffsetsResponse), r, code)
	case *kmsg.OffsetForLeaderEpochRequest:
		addEpochs(resp.(*kmsg.OffsetForLeaderEpochResponse), r, code)
	case *kmsg.ShareFetchRequest:
		addShareFetch(resp.(*kmsg.ShareFetchResponse), r, code)
	case *kmsg.ShareAcknowledgeRequest:
		addShareAcknowledge(resp.(*kmsg.ShareAcknowledgeResponse), r, code)
	}
}

func addProduce(resp *kmsg.ProduceResponse, req *kmsg.ProduceRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.ProduceResponseTopic) bool { return x.Topic == t.Topic && x.TopicID == t.TopicID })
			topic.Topic, topic.TopicID = t.Topic, t.TopicID
			row := find(&topic.Partitions, func(x *kmsg.ProduceResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewProduceResponseTopicPartition()
			row.Partition, row.ErrorCode, row.BaseOffset = p.Partition, c.Code, -1
		}
	}
}

func addFetch(resp *kmsg.FetchResponse, req *kmsg.FetchRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.FetchResponseTopic) bool { return x.Topic == t.Topic && x.TopicID == t.TopicID })
			topic.Topic, topic.TopicID = t.Topic, t.TopicID
			row := find(&topic.Partitions, func(x *kmsg.FetchResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewFetchResponseTopicPartition()
			row.Partition, row.ErrorCode = p.Partition, c.Code
			row.HighWatermark, row.LastStableOffset, row.LogStartOffset = -1, -1, -1
			row.RecordBatches = []byte{}
		}
	}
}

func addShareFetch(resp *kmsg.ShareFetchResponse, req *kmsg.ShareFetchRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.ShareFetchResponseTopic) bool { return x.TopicID == t.TopicID })
			topic.TopicID = t.TopicID
			row := find(&topic.Partitions, func(x *kmsg.ShareFetchResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewShareFetchResponseTopicPartition()
			row.Partition, row.ErrorCode = p.Partition, c.Code
			if len(p.AcknowledgementBatches) > 0 {
				row.AcknowledgeErrorCode = refusal(c.Code)
			}
		}
	}
}

func addShareAcknowledge(resp *kmsg.ShareAcknowledgeResponse, req *kmsg.ShareAcknowledgeRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.ShareAcknowledgeResponseTopic) bool { return x.TopicID == t.TopicID })
			topic.TopicID = t.TopicID
			row := find(&topic.Partitions, func(x *kmsg.ShareAcknowledgeResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewShareAcknowledgeResponseTopicPartition()
			row.Partition, row.ErrorCode = p.Partition, refusal(c.Code)
		}
	}
}

func addListOffsets(resp *kmsg.ListOffsetsResponse, req *kmsg.ListOffsetsRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.ListOffsetsResponseTopic) bool { return x.Topic == t.Topic })
			topic.Topic = t.Topic
			row := find(&topic.Partitions, func(x *kmsg.ListOffsetsResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewListOffsetsResponseTopicPartition()
			row.Partition, row.ErrorCode, row.Timestamp, row.Offset = p.Partition, c.Code, -1, -1
		}
	}
}

func addEpochs(resp *kmsg.OffsetForLeaderEpochResponse, req *kmsg.OffsetForLeaderEpochRequest, code func() (rules.Code, bool)) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c, coded := code()
			if !coded {
				continue
			}
			topic := find(&resp.Topics, func(x *kmsg.OffsetForLeaderEpochResponseTopic) bool { return x.Topic == t.Topic })
			topic.Topic = t.Topic
			row := find(&topic.Partitions, func(x *kmsg.OffsetForLeaderEpochResponseTopicPartition) bool { return x.Partition == p.Partition })
			*row = kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			row.Partition, row.ErrorCode, row.LeaderEpoch, row.EndOffset = p.Partition, c.Code, -1, -1
		}
	}
}

// find returns the first matching element, or a new one at the end.
func find[T any](list *[]T, fits func(*T) bool) *T {
	for i := range *list {
		if fits(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	var fresh T
	*list = append(*list, fresh)
	return &(*list)[len(*list)-1]
}
