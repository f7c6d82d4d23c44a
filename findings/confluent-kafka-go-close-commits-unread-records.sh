#!/usr/bin/env bash
# confluent-kafka-go 2.11.1: Consumer.Close() commits records that the application was never given, and so loses them.
#
# Close() empties the consumer's queue by Poll() (kafka/consumer.go, 550-554) and drops what it returns. Taking a record out
# of the queue stores its offset (rdkafka_event.c, rd_kafka_event_message_next), and with enable.auto.commit, the default,
# what is stored is committed before the consumer leaves its group. How many are lost is by chance: none, one or all,
# until the rebalance of the close is taken out of the same queue. librdkafka's own close stores nothing.
# With enable.auto.offset.store=false, and StoreMessage() once a record is handled, nothing is lost.
#
# Seen 2026-11-28 with confluent-kafka-go 2.11.1 (librdkafka 2.11.1) on its own mock cluster, Go 1.26: consumers that read
# ten of 1,000 records and close; what was committed at each close:
#   enable.auto.offset.store=true: 1000 1000 11 1000 10 1000 15 12
#   enable.auto.offset.store=false: 10 10 10 10 10 10 10 10
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
	"os"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

const records, read, closes = 1000, 10, 8

var topic = "records"

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func fill(brokers string) {
	producer, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": brokers, "go.delivery.reports": false})
	must(err)
	defer producer.Close()
	reports := make(chan kafka.Event, records)
	for range records {
		place := kafka.TopicPartition{Topic: &topic, Partition: 0}
		must(producer.Produce(&kafka.Message{TopicPartition: place, Value: []byte("value")}, reports))
	}
	for range records {
		report, _ := (<-reports).(*kafka.Message)
		must(report.TopicPartition.Error)
	}
}

func consumer(brokers, group string, store bool) *kafka.Consumer {
	made, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers": brokers, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.offset.store": store,
	})
	must(err)
	return made
}

// committed reads some records, closes, and returns what the group has committed then.
func committed(brokers, group string, store bool) kafka.Offset {
	reader := consumer(brokers, group, store)
	must(reader.Subscribe(topic, nil))
	for range read {
		message, err := reader.ReadMessage(30 * time.Second)
		must(err)
		if !store {
			_, err = reader.StoreMessage(message)
			must(err)
		}
	}
	time.Sleep(200 * time.Millisecond) // the application handles what it has
	must(reader.Close())
	observer := consumer(brokers, group, store)
	defer observer.Close()
	found, err := observer.Committed([]kafka.TopicPartition{{Topic: &topic, Partition: 0}}, 10000)
	must(err)
	return found[0].Offset
}

func main() {
	cluster, err := kafka.NewMockCluster(1)
	must(err)
	must(cluster.CreateTopic(topic, 1, 1))
	fill(cluster.BootstrapServers())
	tooMany := map[bool]int{}
	for _, store := range []bool{true, false} {
		fmt.Printf("enable.auto.offset.store=%v: %d delivered each time, committed", store, read)
		for number := range closes {
			offset := committed(cluster.BootstrapServers(), fmt.Sprintf("%v-%d", store, number), store)
			fmt.Print(" ", offset)
			if offset > read {
				tooMany[store]++
			}
		}
		fmt.Println()
	}
	if tooMany[true] == 0 || tooMany[false] != 0 {
		fmt.Println("changed: look again")
		os.Exit(1)
	}
}
GO

go get github.com/confluentinc/confluent-kafka-go/v2@v2.11.1 2> /dev/null
timeout 240 go run . 2> log || { tail -n 1 log >&2; exit 1; }
