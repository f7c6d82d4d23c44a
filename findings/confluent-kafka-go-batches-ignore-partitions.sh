#!/usr/bin/env bash
# confluent-kafka-go 2.11.1 with go.batch.producer=true: the partition of a message is ignored, and a record that cannot be
# queued is never reported.
#
# For ProduceChannel() the setting puts what waits into one call of rd_kafka_produce_batch (kafka/producer.go, 321-335). It
# passes "any partition" and not the flag by which librdkafka reads the partition of each message, so the partitioner
# chooses; and it looks for a result of -1, while errors stand in the messages. Flush() and Len() are 0 all the same.
# Its documentation calls the setting experimental and names timestamps and headers as what it lacks.
#
# Seen 2026-11-28 with confluent-kafka-go 2.11.1 (librdkafka 2.11.1) on its own mock cluster, Go 1.26, 40 records for
# partition 2 of 4, one of them larger than message.max.bytes; how many of a partition is by chance where it is ignored:
#   go.batch.producer=false: 39 written, in partitions [2]; 1 reported as failed; none missing
#   go.batch.producer=true: 39 written, in partitions [0 1 2 3]; 0 reported as failed; 1 missing
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
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const records, large = 40, 20

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func try(brokers, topic string, batch bool) string {
	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers": brokers, "go.batch.producer": batch, "message.max.bytes": 2000,
	})
	must(err)
	defer producer.Close()
	for number := range records {
		value := make([]byte, 10)
		if number == large {
			value = make([]byte, 5000)
		}
		producer.ProduceChannel() <- &kafka.Message{
			TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: 2},
			Key:            fmt.Append(nil, number), Value: value,
		}
	}
	written, failed, places := 0, 0, map[int32]bool{}
	for limit := time.After(5 * time.Second); written+failed < records; {
		select {
		case event := <-producer.Events():
			message, isReport := event.(*kafka.Message)
			switch {
			case !isReport:
			case message.TopicPartition.Error != nil:
				failed++
			default:
				written++
				places[message.TopicPartition.Partition] = true
			}
			continue
		case <-limit:
		}
		break
	}
	missing := "none"
	if left := records - written - failed; left > 0 {
		missing = fmt.Sprint(left)
	}
	return fmt.Sprintf("go.batch.producer=%v: %d written, in partitions %v; %d reported as failed; %s missing",
		batch, written, slices.Sorted(maps.Keys(places)), failed, missing)
}

func main() {
	cluster, err := kafka.NewMockCluster(1)
	must(err)
	must(cluster.CreateTopic("records", 4, 1))
	found := []string{try(cluster.BootstrapServers(), "records", false), try(cluster.BootstrapServers(), "records", true)}
	for _, line := range found {
		fmt.Println(line)
	}
	if !slices.Equal(found, []string{
		"go.batch.producer=false: 39 written, in partitions [2]; 1 reported as failed; none missing",
		"go.batch.producer=true: 39 written, in partitions [0 1 2 3]; 0 reported as failed; 1 missing",
	}) {
		fmt.Println("changed: look again")
		os.Exit(1)
	}
}
GO

go get github.com/confluentinc/confluent-kafka-go/v2@v2.11.1 2> /dev/null
go run . 2> log || { tail -n 1 log >&2; exit 1; }
