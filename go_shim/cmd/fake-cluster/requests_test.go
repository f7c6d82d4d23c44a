package main

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// produceTo writes one record to every given partition.
func produceTo(version, acks int16, topic string, partitions ...int32) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = version, acks, 1000
	t := kmsg.NewProduceRequestTopic()
	t.Topic = topic
	for _, partition := range partitions {
		p := kmsg.NewProduceRequestTopicPartition()
		p.Partition, p.Records = partition, oneRecord("x")
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	return req
}

func oneRecord(value string) []byte {
	record := kmsg.NewRecord()
	record.Value = []byte(value)
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	batch := kmsg.NewRecordBatch()
	batch.Magic, batch.NumRecords, batch.Records = 2, 1, record.AppendTo(nil)
	batch.ProducerID, batch.ProducerEpoch, batch.FirstSequence = -1, -1, -1
	raw := batch.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// fetchFrom reads the partitions from offset 0, with a leader epoch (-1 = none).
func fetchFrom(version int16, waitMs, epoch int32, topic string, partitions ...int32) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.MaxWaitMillis, req.MinBytes, req.MaxBytes = version, waitMs, 1, 1<<20
	t := kmsg.NewFetchRequestTopic()
	t.Topic = topic
	for _, partition := range partitions {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.PartitionMaxBytes, p.CurrentLeaderEpoch = partition, 1<<20, epoch
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	return req
}

// produceCodes returns the response's codes by partition.
func produceCodes(resp kmsg.Response) map[int32]int16 {
	codes := map[int32]int16{}
	for _, t := range resp.(*kmsg.ProduceResponse).Topics {
		for _, p := range t.Partitions {
			codes[p.Partition] = p.ErrorCode
		}
	}
	return codes
}

func fetchRows(resp kmsg.Response) map[int32]kmsg.FetchResponseTopicPartition {
	rows := map[int32]kmsg.FetchResponseTopicPartition{}
	for _, t := range resp.(*kmsg.FetchResponse).Topics {
		for _, p := range t.Partitions {
			rows[p.Partition] = p
		}
	}
	return rows
}

func metadataOf(topics ...string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	for _, topic := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req.Topics = append(req.Topics, t)
	}
	return req
}

// firstPartition returns partition 0 of the first topic of a Metadata response, with the topic's own code.
func firstPartition(resp kmsg.Response) (int16, kmsg.MetadataResponseTopicPartition) {
	t := resp.(*kmsg.MetadataResponse).Topics[0]
	for _, p := range t.Partitions {
		if p.Partition == 0 {
			return t.ErrorCode, p
		}
	}
	return t.ErrorCode, kmsg.MetadataResponseTopicPartition{}
}

func heartbeat(group string) *kmsg.HeartbeatRequest {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID = group, "unknown"
	return req
}

func findGroup(group string) *kmsg.FindCoordinatorRequest {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.Version, req.CoordinatorKey = 3, group
	return req
}
