package backend

import (
	"fmt"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// LeaveOpen writes records in a transaction that their producer does not end. The state machine aborts it when its time
// is over.
func (b *Backend) LeaveOpen(left *clusterpb.OpenTransaction) error {
	by, err := b.initProducer(b.CoordinatorOf(left.TransactionalId), &left.TransactionalId, left.TimeoutMs)
	if err != nil {
		return err
	}
	by.transactionalID = left.TransactionalId
	if err := b.addPartition(by, left.Topic, left.Partition); err != nil {
		return err
	}
	return b.write(left.Topic, left.Partition, numbered("left", left.Partition, 0, left.Records), by, 0)
}

func (b *Backend) addPartition(by Producer, topic string, partition int32) error {
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version = b.version(kmsg.AddPartitionsToTxn, 1)
	req.TransactionalID, req.ProducerID, req.ProducerEpoch = by.transactionalID, by.ID, by.Epoch
	req.Topics = []kmsg.AddPartitionsToTxnRequestTopic{{Topic: topic, Partitions: []int32{partition}}}
	resp, err := b.Ask(b.CoordinatorOf(by.transactionalID), req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.AddPartitionsToTxnResponse).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("adding %s/%d to a transaction of %q: error code %d", topic, partition, by.transactionalID, p.ErrorCode)
			}
		}
	}
	return nil
}
