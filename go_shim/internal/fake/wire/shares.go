package wire

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// SharePartition is a partition that a share session fetches.
type SharePartition struct {
	TopicID   [16]byte
	Partition int32
}

// SharePartitions returns the partitions that a request names.
func SharePartitions(req *kmsg.ShareFetchRequest) (named []SharePartition) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			named = append(named, SharePartition{t.TopicID, p.Partition})
		}
	}
	return named
}

// WithPartitions copies a request and adds the partitions of its session that it does not name.
func WithPartitions(req *kmsg.ShareFetchRequest, session []SharePartition) *kmsg.ShareFetchRequest {
	whole := *req
	whole.Topics = nil
	for _, t := range req.Topics {
		t.Partitions = append([]kmsg.ShareFetchRequestTopicPartition(nil), t.Partitions...)
		whole.Topics = append(whole.Topics, t)
	}
	for _, one := range session {
		topic := find(&whole.Topics, func(x *kmsg.ShareFetchRequestTopic) bool { return x.TopicID == one.TopicID })
		topic.TopicID = one.TopicID
		row := find(&topic.Partitions, func(x *kmsg.ShareFetchRequestTopicPartition) bool { return x.Partition == one.Partition })
		row.Partition = one.Partition
	}
	return &whole
}

// ShareError returns the error of a response as a whole.
func ShareError(resp kmsg.Response) int16 {
	switch r := resp.(type) {
	case *kmsg.ShareFetchResponse:
		return r.ErrorCode
	case *kmsg.ShareAcknowledgeResponse:
		return r.ErrorCode
	}
	return 0
}

// FillRecords gives rows without records the empty set of them that brokers send: the field is not nullable, and the state
// machine's null ends the Java client's network thread (ShareFetchResponse.json of 4.4.0).
func FillRecords(resp kmsg.Response) {
	fetched, ok := resp.(*kmsg.ShareFetchResponse)
	if !ok {
		return
	}
	for _, t := range fetched.Topics {
		for i := range t.Partitions {
			if t.Partitions[i].Records == nil {
				t.Partitions[i].Records = []byte{}
			}
		}
	}
}

// MergeRows makes one row of those that a fetch has of a partition, as brokers send. The state machine answers a refused
// acknowledgement in a row of its own, beside that of the records, and clients keep the last one: the refusal would be lost
// (ShareFetchResponse.responseData of 4.4.0).
func MergeRows(resp kmsg.Response) {
	fetched, ok := resp.(*kmsg.ShareFetchResponse)
	if !ok {
		return
	}
	for i := range fetched.Topics {
		topic := &fetched.Topics[i]
		var merged []kmsg.ShareFetchResponseTopicPartition
		for _, row := range topic.Partitions {
			one := find(&merged, func(x *kmsg.ShareFetchResponseTopicPartition) bool { return x.Partition == row.Partition })
			if row.AcknowledgeErrorCode == 0 {
				row.AcknowledgeErrorCode, row.AcknowledgeErrorMessage = one.AcknowledgeErrorCode, one.AcknowledgeErrorMessage
			}
			*one = row
		}
		topic.Partitions = merged
	}
}

// Forget lets the session of `rest` forget the partitions of `whole` that have a code.
func Forget(rest, whole *kmsg.ShareFetchRequest, codes Codes) {
	rest.ForgottenTopicsData = append([]kmsg.ShareFetchRequestForgottenTopicsData(nil), rest.ForgottenTopicsData...)
	for i, one := range SharePartitions(whole) {
		if _, coded := codes[i]; coded {
			gone := kmsg.NewShareFetchRequestForgottenTopicsData()
			gone.TopicID, gone.Partitions = one.TopicID, []int32{one.Partition}
			rest.ForgottenTopicsData = append(rest.ForgottenTopicsData, gone)
		}
	}
}

// refusal returns the code of an acknowledgement where a fetch is answered a code. A broker gives up its state of a share
// group's partition that it leads no more or whose log it lost, and asks that state alone about acknowledgements
// (SharePartitionManager.acknowledge and SharePartitionListener of 4.3.1; 4.4.0 answers so).
func refusal(fetched int16) int16 {
	if fetched == kerr.NotLeaderForPartition.Code || fetched == kerr.KafkaStorageError.Code {
		return kerr.UnknownTopicOrPartition.Code
	}
	return fetched
}

// AtEpoch copies a request within a share session with an epoch that is ahead by `added`.
func AtEpoch(req kmsg.Request, added int32) kmsg.Request {
	switch r := req.(type) {
	case *kmsg.ShareFetchRequest:
		if r.ShareSessionEpoch > 0 {
			moved := *r
			moved.ShareSessionEpoch += added
			return &moved
		}
	case *kmsg.ShareAcknowledgeRequest:
		if r.ShareSessionEpoch > 0 {
			moved := *r
			moved.ShareSessionEpoch += added
			return &moved
		}
	}
	return req
}

// release is the acknowledgement that lets a record be given again at once (KIP-932).
const release = 2

// TakeBack gives the rows of a fetch the codes that are new since it came, takes their records out, and returns the request
// that releases these; nil if there are none.
func TakeBack(resp *kmsg.ShareFetchResponse, req *kmsg.ShareFetchRequest, now, before Codes) *kmsg.ShareAcknowledgeRequest {
	var back *kmsg.ShareAcknowledgeRequest
	for i, one := range SharePartitions(req) {
		code, coded := now[i]
		if _, known := before[i]; !coded || known {
			continue
		}
		topic := find(&resp.Topics, func(x *kmsg.ShareFetchResponseTopic) bool { return x.TopicID == one.TopicID })
		topic.TopicID = one.TopicID
		row := find(&topic.Partitions, func(x *kmsg.ShareFetchResponseTopicPartition) bool { return x.Partition == one.Partition })
		if given := row.AcquiredRecords; len(given) > 0 {
			if back == nil {
				back = kmsg.NewPtrShareAcknowledgeRequest()
				back.Version = 1
			}
			addRelease(back, one, given)
		}
		row.Partition, row.ErrorCode, row.Records, row.AcquiredRecords = one.Partition, code.Code, nil, nil
	}
	return back
}

func addRelease(req *kmsg.ShareAcknowledgeRequest, one SharePartition, given []kmsg.ShareFetchResponseTopicPartitionAcquiredRecord) {
	topic := find(&req.Topics, func(x *kmsg.ShareAcknowledgeRequestTopic) bool { return x.TopicID == one.TopicID })
	topic.TopicID = one.TopicID
	row := kmsg.NewShareAcknowledgeRequestTopicPartition()
	row.Partition = one.Partition
	for _, run := range given {
		batch := kmsg.NewShareAcknowledgeRequestTopicPartitionAcknowledgementBatch()
		batch.FirstOffset, batch.LastOffset, batch.AcknowledgeTypes = run.FirstOffset, run.LastOffset, []int8{release}
		row.AcknowledgementBatches = append(row.AcknowledgementBatches, batch)
	}
	topic.Partitions = append(topic.Partitions, row)
}
