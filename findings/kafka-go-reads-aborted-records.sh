#!/usr/bin/env bash
# kafka-go 0.4.51: a Reader with IsolationLevel ReadCommitted delivers the records of aborted transactions, and the
# markers that end transactions.
#
# The broker ends such a Fetch at the last stable offset, so the Reader waits for the end of a transaction. The answer then
# lists which transactions were aborted; kafka-go reads that list (read.go, 422-441) and leaves out none of their records.
# franz-go, on the same topic, delivers the committed record alone.
#
# Seen 2026-11-28 with kafka-go 0.4.51, franz-go 1.22.3 and its fake broker kfake, Go 1.26:
#   kafka-go read_committed: aborted, (marker), committed, (marker)
#   franz-go read_committed: committed
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > go.mod <<'MOD'
module try

go 1.26
MOD

cat > main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func write(brokers []string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.TransactionalID("x"), kgo.DefaultProduceTopic("topic"))
	must(err)
	defer client.Close()
	for _, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
		must(client.BeginTransaction())
		value := map[kgo.TransactionEndTry]string{kgo.TryAbort: "aborted", kgo.TryCommit: "committed"}[end]
		must(client.ProduceSync(context.Background(), kgo.StringRecord(value)).FirstErr())
		must(client.EndTransaction(context.Background(), end))
	}
}

func byKafkaGo(brokers []string) (values []string) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: brokers, Topic: "topic", IsolationLevel: kafka.ReadCommitted, MaxWait: 100 * time.Millisecond,
	})
	defer reader.Close()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		message, err := reader.ReadMessage(ctx)
		cancel()
		if err != nil {
			return values
		}
		if value := string(message.Value); value == "aborted" || value == "committed" {
			values = append(values, value)
		} else {
			values = append(values, "(marker)")
		}
	}
}

func byFranz(brokers []string) (values []string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("topic"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	must(err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(record *kgo.Record) { values = append(values, string(record.Value)) })
	}
	return values
}

func main() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "topic"))
	must(err)
	defer cluster.Close()
	write(cluster.ListenAddrs())
	kafkaGo, franz := byKafkaGo(cluster.ListenAddrs()), byFranz(cluster.ListenAddrs())
	fmt.Println("kafka-go read_committed:", strings.Join(kafkaGo, ", "))
	fmt.Println("franz-go read_committed:", strings.Join(franz, ", "))
	expected := "aborted, (marker), committed, (marker)"
	if strings.Join(kafkaGo, ", ") != expected || strings.Join(franz, ", ") != "committed" {
		fmt.Println("changed: look again")
		os.Exit(1)
	}
}
GO

go get github.com/segmentio/kafka-go@v0.4.51 github.com/twmb/franz-go@v1.22.3 \
  github.com/twmb/franz-go/pkg/kfake@v0.0.0-20260918054303-01f206a7e32c 2> /dev/null
go run .
