package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/kafka-metadata-probe/go_shim/clusterpb"
	"github.com/twmb/franz-go/pkg/kgo"
)

// storageError is a failed log dir: broker `at` answers 56 for the partition, and leadership moves to `to` 150 ms after
// the first hit.
func storageError(topic string, at, to int32) *clusterpb.Fault {
	return &clusterpb.Fault{
		Rules:   []*clusterpb.Rule{{Id: "disk", Apis: []int32{0, 1}, Brokers: []int32{at}, Topic: topic, Partitions: []int32{0}, Code: 56}},
		Changes: []*clusterpb.Timed{{Change: leaderChange(moveLeader(topic, 0, to)), AfterMs: 150}},
	}
}

func franz(t *testing.T, r *rig, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(r.seeds...), kgo.MetadataMinAge(50 * time.Millisecond)}, opts...)...)
	fatal(t, err)
	t.Cleanup(client.Close)
	return client
}

func saramaConfig(t *testing.T, version string) *sarama.Config {
	t.Helper()
	config := sarama.NewConfig()
	parsed, err := sarama.ParseKafkaVersion(version)
	fatal(t, err)
	config.Version, config.Metadata.RefreshFrequency = parsed, 0
	config.Producer.Return.Successes, config.Consumer.Return.Errors = true, true
	config.Producer.RequiredAcks, config.Producer.Partitioner = sarama.WaitForAll, sarama.NewManualPartitioner
	config.Consumer.Retry.Backoff = 100 * time.Millisecond
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	return config
}

// TestSaramaProducerFindsTheNewLeader: 56, its hit, the fault's timer, the new leader.
func TestSaramaProducerFindsTheNewLeader(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 1)
	producer, err := sarama.NewSyncProducer(r.seeds, saramaConfig(t, "2.1.0"))
	fatal(t, err)
	defer producer.Close()
	send := func(i int) error {
		_, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: "t", Partition: 0, Value: sarama.StringEncoder(fmt.Sprint(i))})
		return err
	}
	for i := range 3 {
		fatal(t, send(i))
	}
	r.inject(storageError("t", 1, 2))
	for i := 3; i < 10; i++ {
		fatal(t, send(i))
	}
	on, hit := r.event(clusterpb.Event_FAULT_ON, nil), r.event(clusterpb.Event_HIT, nil)
	moved, announced := r.event(clusterpb.Event_MOVED, nil), r.event(clusterpb.Event_ANNOUNCED, nil)
	if hit.Text != "disk" || hit.AtUs < on.AtUs || moved.Broker != 2 || announced.Broker != 2 || announced.Topic != "t" {
		t.Errorf("events: %v, %v, %v, %v", on, hit, moved, announced)
	}
	if moved.Value < 150 || moved.Value > 190 || (moved.AtUs-hit.AtUs)/1000 < 149 {
		t.Errorf("moved %d ms after the first hit by its value, %d us by the clock", moved.Value, moved.AtUs-hit.AtUs)
	}
	stored := r.stored("t", 0)
	if strings.Join(stored, " ") != "0 1 2 3 4 5 6 7 8 9" {
		t.Errorf("stored %v", stored)
	}
}

// stored reads a partition's values past the front.
func (r *rig) stored(topic string, partition int32) (values []string) {
	r.t.Helper()
	reply, err := r.ReadBack(context.Background(), &clusterpb.Topic{Topic: topic})
	fatal(r.t, err)
	if !reply.Whole {
		r.t.Error("not read whole")
	}
	for _, record := range reply.Records {
		if record.Partition == partition {
			values = append(values, record.Value)
		}
	}
	return values
}

// TestFranzConsumerFollowsWhileFed reads a feed across a leader move: no record is lost or duplicated, and the move
// ends a parked fetch.
func TestFranzConsumerFollowsWhileFed(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1, 3)
	_, err := r.StartFeed(context.Background(), &clusterpb.FeedRequest{Topic: "t", Partitions: []int32{0, 1}, IntervalMs: 20})
	fatal(t, err)
	client := franz(t, r, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		"t": {0: kgo.NewOffset().AtStart(), 1: kgo.NewOffset().AtStart()},
	}))
	next := map[int32]int64{}
	read := func(partition int32, until int64) {
		eventually(t, fmt.Sprintf("record %d of partition %d", until, partition), func() bool {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			fetches := client.PollFetches(ctx)
			fetches.EachError(func(topic string, p int32, err error) { t.Log(topic, p, err) })
			fetches.EachRecord(func(record *kgo.Record) {
				want := fmt.Sprintf("feed %d %d ", record.Partition, next[record.Partition])
				if !strings.HasPrefix(string(record.Value), want) {
					t.Fatalf("got %q, want %q", record.Value, want)
				}
				next[record.Partition]++
			})
			return next[partition] >= until
		})
	}
	read(0, 5)
	r.inject(storageError("t", 1, 2))
	r.event(clusterpb.Event_ANNOUNCED, nil)
	read(0, next[0]+20)
	_, err = r.StopFeed(context.Background(), &clusterpb.Topic{Topic: "t"})
	fatal(t, err)
	for partition := range int32(2) {
		for i, value := range r.stored("t", partition) {
			if !strings.HasPrefix(value, fmt.Sprintf("feed %d %d ", partition, i)) {
				t.Fatalf("record %d is %q", i, value)
			}
		}
	}
}

// TestSaramaGroupSurvivesItsCoordinatorsMove commits before and after 16, and after a period of 14.
func TestSaramaGroupSurvivesItsCoordinatorsMove(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 1)
	group, err := sarama.NewConsumerGroup(r.seeds, "g", saramaConfig(t, "3.6.0"))
	fatal(t, err)
	defer group.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			_ = group.Consume(ctx, []string{"t"}, committer{})
		}
	}()
	_, err = r.StartFeed(ctx, &clusterpb.FeedRequest{Topic: "t", Partitions: []int32{0}, IntervalMs: 20})
	fatal(t, err)
	committed := func() int64 {
		reply, err := r.Committed(ctx, &clusterpb.Group{Group: "g", Topic: "t"})
		fatal(t, err)
		return reply.Offsets[0]
	}
	eventually(t, "a first commit", func() bool { return committed() > 3 })
	was, err := r.Coordinator(ctx, &clusterpb.CoordinatorQuestion{Key: "g"})
	fatal(t, err)
	to := was.Broker%3 + 1
	r.apply(coordinatorChange(&clusterpb.MoveCoordinator{Key: "g", To: to, LoadingMs: 300}))
	moved := r.event(clusterpb.Event_MOVED, nil)
	if moved.Broker != to || moved.Key != "g" || moved.Value != -1 {
		t.Errorf("%v", moved)
	}
	before := committed()
	eventually(t, "a commit at the new coordinator", func() bool { return committed() > before+5 })
}

// committer commits every record.
type committer struct{}

func (committer) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (committer) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (committer) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		session.MarkMessage(message, "")
		session.Commit()
	}
	return nil
}

// TestCompressedTransactionsAreReadBack reads committed records in every compression, and no aborted ones.
func TestCompressedTransactionsAreReadBack(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 2)
	var want []string
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		client := franz(t, r, kgo.TransactionalID("x-"+name), kgo.ProducerBatchCompression(codec), kgo.DefaultProduceTopic("t"))
		for _, commit := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
			fatal(t, client.BeginTransaction())
			value := fmt.Sprintf("%s %v %s", name, bool(commit), strings.Repeat("x", 500))
			fatal(t, client.ProduceSync(context.Background(), kgo.StringRecord(value)).FirstErr())
			fatal(t, client.EndTransaction(context.Background(), commit))
			if commit {
				want = append(want, value)
			}
		}
	}
	if got := r.stored("t", 0); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %d records, want %d: %v", len(got), len(want), got)
	}
}

// TestACommitBehindAnOpenTransactionIsReadBack: consumers do not get it yet, but it is not lost.
func TestACommitBehindAnOpenTransactionIsReadBack(t *testing.T) {
	t.Parallel()
	r := start(t, "3.9")
	r.topic("t", 2)
	write := func(id string) *kgo.Client {
		client := franz(t, r, kgo.TransactionalID(id), kgo.DefaultProduceTopic("t"))
		fatal(t, client.BeginTransaction())
		fatal(t, client.ProduceSync(context.Background(), kgo.StringRecord(id)).FirstErr())
		return client
	}
	left, ended := write("left open"), write("ended")
	fatal(t, ended.EndTransaction(context.Background(), kgo.TryCommit))
	if got := r.stored("t", 0); strings.Join(got, ",") != "ended" {
		t.Errorf("behind an open transaction: %v", got)
	}
	fatal(t, left.EndTransaction(context.Background(), kgo.TryCommit))
	if got := r.stored("t", 0); strings.Join(got, ",") != "left open,ended" {
		t.Errorf("when both are through: %v", got)
	}
}
