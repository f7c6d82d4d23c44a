package backend

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// inTransaction is the attribute of a batch that belongs to a transaction.
const inTransaction = 0x10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch encodes records as an uncompressed record batch of magic 2; `sequence` is the first number of an idempotent
// producer.
func batch(values [][]byte, by Producer, sequence int32, now time.Time) []byte {
	b := kmsg.NewRecordBatch()
	b.PartitionLeaderEpoch, b.Magic = -1, 2
	b.FirstTimestamp, b.MaxTimestamp = now.UnixMilli(), now.UnixMilli()
	b.ProducerID, b.ProducerEpoch, b.FirstSequence = by.ID, by.Epoch, sequence
	if by.transactionalID != "" {
		b.Attributes |= inTransaction
	}
	b.NumRecords, b.LastOffsetDelta = int32(len(values)), int32(len(values)-1)
	for i, value := range values {
		record := kmsg.NewRecord()
		record.Value, record.OffsetDelta = value, int32(i)
		record.Length = int32(len(record.AppendTo(nil)) - 1) // minus the one byte of its own zero length
		b.Records = record.AppendTo(b.Records)
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], castagnoli))
	return raw
}

// Write appends a batch to each partition, at the partitions' leaders, and returns the partitions that were written.
func (b *Backend) Write(topic string, values map[int32][][]byte) (written []int32) {
	now := time.Now()
	requests := map[int32]*kmsg.ProduceRequest{}
	for partition, records := range values {
		node := b.Leader(topic, partition)
		if node < 0 { // there is no such partition
			continue
		}
		req := requests[node]
		if req == nil {
			req = kmsg.NewPtrProduceRequest()
			req.Version, req.Acks, req.TimeoutMillis = b.version(kmsg.Produce, 8), -1, 1000
			req.Topics = []kmsg.ProduceRequestTopic{{Topic: topic}}
			requests[node] = req
		}
		p := kmsg.NewProduceRequestTopicPartition()
		p.Partition, p.Records = partition, batch(records, anonymous, -1, now)
		req.Topics[0].Partitions = append(req.Topics[0].Partitions, p)
	}
	for node, req := range requests {
		resp, err := b.Ask(node, req)
		if err != nil {
			continue
		}
		for _, t := range resp.(*kmsg.ProduceResponse).Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode == 0 {
					written = append(written, p.Partition)
				}
			}
		}
	}
	return written
}

// Read passes a partition's committed records to `each`, by offset. Transactions are resolved by their own control
// records: records behind an open transaction are included, although the last stable offset hides them from consumers
// until that transaction times out.
func (b *Backend) Read(topic string, partition int32, each func(*kgo.Record)) error {
	info := b.kafka.PartitionInfo(topic, partition)
	if info == nil {
		return fmt.Errorf("%s/%d does not exist", topic, partition)
	}
	var found []*kgo.Record
	open := map[int64][]*kgo.Record{} // by producer id
	for offset := info.LogStartOffset; offset < info.HighWatermark; {
		row, err := b.fetch(topic, partition, offset)
		if err != nil {
			return err
		}
		options := kgo.ProcessFetchPartitionOpts{
			Topic: topic, Partition: partition, Offset: offset, IsolationLevel: kgo.ReadUncommitted(), KeepControlRecords: true,
		}
		fetched, next := kgo.ProcessFetchPartition(options, row, kgo.DefaultDecompressor(), nil)
		if fetched.Err != nil {
			return fmt.Errorf("%s/%d at %d: %w", topic, partition, offset, fetched.Err)
		}
		if next <= offset {
			return fmt.Errorf("%s/%d: no progress at offset %d of %d", topic, partition, offset, info.HighWatermark)
		}
		for _, record := range fetched.Records {
			switch {
			case record.Attrs.IsControl():
				if commits(record) {
					found = append(found, open[record.ProducerID]...)
				}
				delete(open, record.ProducerID)
			case record.Attrs.IsTransactional():
				open[record.ProducerID] = append(open[record.ProducerID], record)
			default:
				found = append(found, record)
			}
		}
		offset = next
	}
	slices.SortFunc(found, func(a, b *kgo.Record) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, record := range found {
		each(record)
	}
	return nil
}

// commits reports whether a control record commits its transaction.
func commits(record *kgo.Record) bool {
	key := kmsg.NewControlRecordKey()
	return key.ReadFrom(record.Key) == nil && key.Type == kmsg.ControlRecordKeyTypeCommit
}

func (b *Backend) fetch(topic string, partition int32, offset int64) (*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.Version = b.version(kmsg.Fetch, 11)
	req.MaxBytes, req.SessionEpoch, req.MaxWaitMillis = 16<<20, -1, 0
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = partition, offset, 16<<20, -1
	req.Topics = []kmsg.FetchRequestTopic{{Topic: topic, Partitions: []kmsg.FetchRequestTopicPartition{p}}}
	resp, err := b.Ask(b.Leader(topic, partition), req)
	if err != nil {
		return nil, err
	}
	for _, t := range resp.(*kmsg.FetchResponse).Topics {
		for i := range t.Partitions {
			return &t.Partitions[i], nil
		}
	}
	return nil, fmt.Errorf("%s/%d: the response has no row", topic, partition)
}
