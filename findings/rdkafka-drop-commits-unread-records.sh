#!/usr/bin/env bash
# rdkafka (Rust) 0.39.0: a consumer that is dropped commits records that its application never got.
#
# The drop closes the consumer and polls until it is closed; records that wait in the queue are discarded
# (src/consumer/base_consumer.rs, 770-777). To librdkafka a record that was taken from an event was read
# (src/rdkafka_event.c of 2.12.1, 143), and with enable.auto.commit and enable.auto.offset.store, which are on by
# default, closing commits what was read. The next member begins after these records. With
# enable.auto.offset.store=false nothing counts as read until the application says so.
#
# Seen 2026-11-28 with rdkafka 0.39.0, rdkafka-sys 4.10.0+2.12.1, Rust 1.95, on librdkafka's mock cluster: ten consumers,
# each of a group of its own, read 10 of 20,000 records and are dropped. How many lose how much is by chance:
#   enable.auto.offset.store=true: 7 of 10 committed more than they read; at most 15475 unread records
#   enable.auto.offset.store=false: 0 of 10 committed more than they read; at most 0 unread records
# It compiles librdkafka, for some two minutes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > Cargo.toml <<'TOML'
[package]
name = "try"
version = "0.0.0"
edition = "2024"

[dependencies]
rdkafka = { version = "=0.39.0", default-features = false, features = ["tokio"] }
rdkafka-sys = { version = "=4.10.0", default-features = false }
tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }
TOML

mkdir src
cat > src/main.rs <<'RUST'
use std::time::Duration;

use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

const WRITTEN: usize = 20_000;
const CONSUMERS: usize = 10;
const READ: i64 = 10;

fn settings(servers: &str, group: &str, store: &str) -> ClientConfig {
    let mut chosen = ClientConfig::new();
    chosen
        .set("bootstrap.servers", servers)
        .set("group.id", group)
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.offset.store", store);
    chosen
}

/// Reads some records, drops the consumer, and returns how many records it committed beyond these.
async fn unread(servers: String, group: String, store: &'static str) -> i64 {
    let chosen = settings(&servers, &group, store);
    let consumer: StreamConsumer = chosen.create().unwrap();
    consumer.subscribe(&["records"]).unwrap();
    for _ in 0..READ {
        let record = consumer.recv().await.unwrap();
        if store == "false" {
            consumer.store_offset_from_message(&record).unwrap();
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    tokio::task::spawn_blocking(move || drop(consumer)).await.unwrap();
    let mut place = TopicPartitionList::new();
    place.add_partition("records", 0);
    let other: StreamConsumer = chosen.create().unwrap();
    let found = other.committed_offsets(place, Duration::from_secs(5)).unwrap();
    match found.elements()[0].offset() {
        Offset::Offset(offset) => offset - READ,
        none => panic!("nothing was committed: {none:?}"),
    }
}

async fn many(servers: &str, store: &'static str) -> usize {
    let tasks = (0..CONSUMERS).map(|n| tokio::spawn(unread(servers.to_owned(), format!("{store}-{n}"), store)));
    let mut found = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        found.push(task.await.unwrap());
    }
    let ahead = found.iter().filter(|more| **more > 0).count();
    let most = found.iter().max().unwrap().max(&0);
    print!("enable.auto.offset.store={store}: {ahead} of {CONSUMERS} committed more than they read; ");
    println!("at most {most} unread records");
    ahead
}

#[tokio::main]
async fn main() {
    let version = rdkafka::util::get_rdkafka_version().1;
    let mock = MockCluster::new(1).unwrap();
    mock.create_topic("records", 1, 1).unwrap();
    let servers = mock.bootstrap_servers();
    let producer: FutureProducer = ClientConfig::new().set("bootstrap.servers", &servers).create().unwrap();
    for n in 0..WRITTEN {
        let value = n.to_string();
        let record = FutureRecord::<str, str>::to("records").partition(0).payload(&value);
        drop(producer.send_result(record).map_err(|(error, _)| error).unwrap());
    }
    producer.flush(Duration::from_secs(20)).unwrap();
    let (stored, not_stored) = (many(&servers, "true").await, many(&servers, "false").await);
    if version != "2.12.1" || stored == 0 || not_stored > 0 {
        println!("changed (librdkafka {version}): look again");
        std::process::exit(1);
    }
}
RUST

cargo run --quiet --release 2> log || { tail -n 3 log >&2; exit 1; }
