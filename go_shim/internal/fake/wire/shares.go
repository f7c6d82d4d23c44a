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
