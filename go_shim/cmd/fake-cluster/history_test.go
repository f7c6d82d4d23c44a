package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// aged creates a topic with a past: 8 and 4 elections, 24 records, of which 7 are gone, 15 committed.
func (r *rig) aged(line string) *clusterpb.CreateTopicReply {
	r.t.Helper()
	past := &clusterpb.ClusterHistory{
		Topics:           []*clusterpb.OtherTopic{{Topic: "other-1", Partitions: 3}, {Topic: "other-2", Partitions: 12}},
		ProducerIds:      3,
		Commits:          []*clusterpb.Commit{{Group: "g", Offsets: map[int32]int64{0: 15, 1: 15}}},
		TransactionalIds: []*clusterpb.UsedId{{TransactionalId: "x", Producers: 2}},
		Controller:       2,
	}
	reply, err := r.CreateTopic(context.Background(), &clusterpb.CreateTopicRequest{
		Topic: "t", History: past, Partitions: []*clusterpb.Assignment{
			{Leader: 1, Elections: 8, Records: 24, Deleted: 7}, {Leader: 3, Elections: 4, Records: 24, Deleted: 7},
		},
	})
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return reply
}

func TestAnAgedCluster(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"0.11.0", "2.6", "3.9", "4.3"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			r := start(t, line)
			for p, state := range r.aged(line).Partitions {
				if epoch := []int32{9, 5}[p]; state.Epoch != epoch || state.Start != 7 || state.End != 24 {
					t.Errorf("partition %d: %v", p, state)
				}
			}
			client, err := kgo.NewClient(kgo.SeedBrokers(r.seeds...), kgo.ConsumeTopics("t"), kgo.ConsumerGroup("g"), kgo.DisableAutoCommit())
			fatal(t, err)
			defer client.Close()
			seen := map[string]bool{}
			for len(seen) < 2*(24-15) {
				fetches := client.PollFetches(context.Background())
				fatal(t, fetches.Err())
				fetches.EachRecord(func(record *kgo.Record) {
					var partition, number, clock int64
					_, err := fmt.Sscanf(string(record.Value), "history %d %d %d", &partition, &number, &clock)
					if err != nil || record.Offset != number || record.Offset < 15 {
						t.Errorf("%s: %v", record.Value, err)
					}
					seen[fmt.Sprint(record.Partition, record.Offset)] = true
				})
			}
		})
	}
}

func TestAnAgedClusterInMetadata(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.aged("3.9")
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	resp := r.raw(1).ask(req).(*kmsg.MetadataResponse)
	others, epochs := 0, map[int32]bool{}
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			if topic.TopicID != [16]byte{} || p.Leader < 1 {
				t.Errorf("%s: %+v", *topic.Topic, p)
			}
			if *topic.Topic == "other-2" {
				others++
				epochs[p.LeaderEpoch] = true
			}
		}
	}
	if others != 12 || len(epochs) < 3 || resp.ControllerID != 2 {
		t.Errorf("%d partitions with epochs %v, controller %d", others, epochs, resp.ControllerID)
	}
	init := kmsg.NewPtrInitProducerIDRequest()
	init.Version, init.TransactionTimeoutMillis, init.TransactionalID = 1, 1000, kmsg.StringPtr("x")
	reply, err := r.Coordinator(context.Background(), &clusterpb.CoordinatorQuestion{KeyType: 1, Key: "x"})
	fatal(t, err)
	if got := r.raw(reply.Broker).ask(init).(*kmsg.InitProducerIDResponse); got.ErrorCode != 0 || got.ProducerEpoch != 2 {
		t.Errorf("the third producer of an id: %+v", got)
	}
}

// TestTheEpochsOfAnAgedPartition has the answers of a leader with eight elections about earlier epochs.
func TestTheEpochsOfAnAgedPartition(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.aged("3.9")
	for epoch, end := range map[int32]int64{1: 6, 4: 12, 7: 18} {
		req := kmsg.NewPtrOffsetForLeaderEpochRequest()
		req.Version, req.ReplicaID = 3, -1
		p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		p.LeaderEpoch = epoch
		req.Topics = []kmsg.OffsetForLeaderEpochRequestTopic{{Topic: "t", Partitions: []kmsg.OffsetForLeaderEpochRequestTopicPartition{p}}}
		row := r.raw(1).ask(req).(*kmsg.OffsetForLeaderEpochResponse).Topics[0].Partitions[0]
		if row.ErrorCode != 0 || row.LeaderEpoch != epoch || row.EndOffset != end {
			t.Errorf("epoch %d: %+v; want end offset %d", epoch, row, end)
		}
	}
}
