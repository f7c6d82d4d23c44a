package backend

import (
	"fmt"
	"time"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/events"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/topology"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// historyParts is the number of batches of a history; they are spread over its leader epochs.
	historyParts int32 = 4
	// transactionTimeoutMs is the transaction timeout of producers that used a transactional id.
	transactionTimeoutMs = 60_000
	// filledFrom is the number of the first record that a topic comes back with; a feed never gets that far.
	filledFrom int32 = 1_000_000
)

// Producer is an idempotent producer; id -1 is a producer without idempotence.
type Producer struct {
	ID              int64
	Epoch           int16
	transactionalID string // empty: it writes outside of transactions
}

// anonymous is a producer without idempotence.
var anonymous = Producer{ID: -1, Epoch: -1}

// NewProducers gives out producer ids and returns the last one; without any, a producer without idempotence.
func (b *Backend) NewProducers(count int32) (Producer, error) {
	last := anonymous
	for range count {
		var err error
		if last, err = b.initProducer(Controller, nil, transactionTimeoutMs); err != nil {
			return last, err
		}
	}
	return last, nil
}

// UseTransactionalID starts producers with a transactional id one after the other: each fences the one before.
func (b *Backend) UseTransactionalID(id string, producers int32) error {
	for range producers {
		if _, err := b.initProducer(b.CoordinatorOf(id), &id, transactionTimeoutMs); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backend) initProducer(node int32, transactionalID *string, timeoutMs int32) (Producer, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis = b.version(kmsg.InitProducerID, 1), transactionalID, timeoutMs
	resp, err := b.Ask(node, req)
	if err != nil {
		return anonymous, err
	}
	answer := resp.(*kmsg.InitProducerIDResponse)
	if answer.ErrorCode != 0 {
		return anonymous, fmt.Errorf("InitProducerId: error code %d", answer.ErrorCode)
	}
	return Producer{ID: answer.ProducerID, Epoch: answer.ProducerEpoch}, nil
}

// Commit commits a group's offsets without being its member.
func (b *Backend) Commit(group, topic string, offsets map[int32]int64) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Version, req.Group, req.Generation = b.version(kmsg.OffsetCommit, 5), group, -1
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = topic
	for partition, offset := range offsets {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset = partition, offset
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	resp, err := b.Ask(b.CoordinatorOf(group), req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.OffsetCommitResponse).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("committing %s/%d for %q: error code %d", topic, p.Partition, group, p.ErrorCode)
			}
		}
	}
	return nil
}

// Age elects leaders of a partition, at last the wanted one, writes records in between, and deletes the oldest. It
// returns all leader epochs, after those that there were.
func (b *Backend) Age(topic string, partition int32, a *clusterpb.Assignment, replicas []int32, by Producer, terms []topology.Term) ([]topology.Term, error) {
	written := int32(0)
	for election := range a.Elections + 1 {
		if election > 0 {
			leader := replicas[int(election)%len(replicas)]
			if election == a.Elections {
				leader = a.Leader
			}
			term, err := b.Move(topic, partition, leader)
			if err != nil {
				return nil, err
			}
			terms = append(terms, term)
		}
		due := a.Records * (election*(historyParts-1)/max(a.Elections, 1) + 1) / historyParts
		if election == a.Elections {
			due = a.Records
		}
		if due > written {
			if err := b.writeHistory(topic, partition, written, due, by); err != nil {
				return nil, err
			}
			written = due
		}
	}
	if a.Deleted > 0 {
		if err := b.kafka.DeleteRecords(topic, partition, a.Deleted); err != nil {
			return nil, fmt.Errorf("deleting records of %s/%d before %d: %w", topic, partition, a.Deleted, err)
		}
	}
	return terms, nil
}

// writeHistory appends the records with numbers from `first` on and before `end`, as one batch.
func (b *Backend) writeHistory(topic string, partition, first, end int32, by Producer) error {
	return b.write(topic, partition, numbered("history", partition, first, end), by, first)
}

// Fill appends records as a feed writes them, as one batch. Their numbers are beyond those of any feed.
func (b *Backend) Fill(topic string, partition, count int32) error {
	return b.write(topic, partition, numbered("feed", partition, filledFrom, filledFrom+count), anonymous, -1)
}

// numbered returns values of records with numbers from `first` on and before `end`.
func numbered(writer string, partition, first, end int32) (values [][]byte) {
	for number := first; number < end; number++ {
		values = append(values, fmt.Appendf(nil, "%s %d %d %d", writer, partition, number, events.Now()))
	}
	return values
}

// write appends one batch; `sequence` is the number of its first record by an idempotent producer.
func (b *Backend) write(topic string, partition int32, values [][]byte, by Producer, sequence int32) error {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = b.version(kmsg.Produce, 8), -1, 1000
	p := kmsg.NewProduceRequestTopicPartition()
	p.Partition, p.Records = partition, batch(values, by, sequence, time.Now())
	req.Topics = []kmsg.ProduceRequestTopic{{Topic: topic, Partitions: []kmsg.ProduceRequestTopicPartition{p}}}
	if by.transactionalID != "" {
		req.TransactionID = &by.transactionalID
	}
	resp, err := b.Ask(b.Leader(topic, partition), req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.ProduceResponse).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("writing to %s/%d: error code %d", topic, partition, p.ErrorCode)
			}
		}
	}
	return nil
}
