package front

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/rules"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// batchedPartitions is the first version of AddPartitionsToTxn that lists transactions (KIP-890). Brokers use it among
// themselves; @platformatic/kafka sends it, too. The state machine answers it and adds nothing.
const batchedPartitions int16 = 4

// addPartitions serves a request that lists one transaction as the same request of the version before.
func (x *exchange) addPartitions(req *kmsg.AddPartitionsToTxnRequest, decision rules.Decision) (kmsg.Response, *rules.Decision, error) {
	asked := req.Transactions[0]
	single := kmsg.NewPtrAddPartitionsToTxnRequest()
	single.Version = batchedPartitions - 1
	single.TransactionalID, single.ProducerID, single.ProducerEpoch = asked.TransactionalID, asked.ProducerID, asked.ProducerEpoch
	for _, t := range asked.Topics {
		single.Topics = append(single.Topics, kmsg.AddPartitionsToTxnRequestTopic{Topic: t.Topic, Partitions: t.Partitions})
	}
	inner := *x
	inner.req = single
	resp, again, err := inner.keyed(decision)
	if err != nil || again != nil {
		return nil, again, err
	}
	answered := kmsg.NewAddPartitionsToTxnResponseTransaction()
	answered.TransactionalID = asked.TransactionalID
	for _, t := range resp.(*kmsg.AddPartitionsToTxnResponse).Topics {
		topic := kmsg.AddPartitionsToTxnResponseTransactionTopic{Topic: t.Topic}
		for _, p := range t.Partitions {
			row := kmsg.AddPartitionsToTxnResponseTransactionTopicPartition{Partition: p.Partition, ErrorCode: p.ErrorCode}
			topic.Partitions = append(topic.Partitions, row)
		}
		answered.Topics = append(answered.Topics, topic)
	}
	out := req.ResponseKind().(*kmsg.AddPartitionsToTxnResponse)
	out.Transactions = append(out.Transactions, answered)
	return out, nil, nil
}
