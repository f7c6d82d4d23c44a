"""Parts of the kafka engine that need no broker: properties, bytes, log lines, leadership, routing, keys."""

import struct
from pathlib import Path

import pytest

from probe.catalogue.brokers import asked_brokers, broker_digests, generation_of, real_brokers
from probe.catalogue.families import CatalogueError
from probe.engines.kafka.admin.wire import Reader, Writer
from probe.engines.kafka.cluster import broker_log, properties
from probe.engines.kafka.cluster.event_router import KEPT, EventRouter
from probe.engines.kafka.cluster.java_command import KAFKA, Java
from probe.engines.kafka.cluster.properties import Addresses
from probe.engines.kafka.cohort.cohort import TOPIC
from probe.engines.kafka.cohort.leadership_monitor import WatchedSubject
from probe.engines.kafka.internal_topics import internal_topics
from probe.model import Closed, EngineEvent, EngineKind, Event, Opened, Request, Subject
from probe.model.endpoint import Endpoint
from probe.toolchain.maven_dependencies import jars


def at(port: int) -> Endpoint:
    return Endpoint(host="127.0.0.1", port=port)


WHERE = Addresses(
    external={1: at(1), 2: at(2), 3: at(3)},
    advertised={1: at(11), 2: at(12), 3: at(13)},
    internal={1: at(21), 2: at(22), 3: at(23)},
    quorum=(at(30),),
)
DIRS = (Path("/x/d0"), Path("/x/d1"))


def test_clients_get_the_relay_and_brokers_get_each_other() -> None:
    settings = properties.broker("3.9.2", 2, WHERE, DIRS, kraft=True)
    assert settings["listeners"] == "EXT://127.0.0.1:2,INT://127.0.0.1:22"
    assert settings["advertised.listeners"] == "EXT://127.0.0.1:12,INT://127.0.0.1:22"
    assert settings["inter.broker.listener.name"] == "INT"
    assert settings["log.dirs"] == "/x/d0,/x/d1"


def test_the_metadata_log_is_outside_the_log_dirs() -> None:
    settings = properties.broker("3.9.2", 1, WHERE, DIRS, kraft=True)
    assert not any(settings["metadata.log.dir"].startswith(str(path)) for path in DIRS)
    assert "zookeeper.connect" not in settings


def test_zookeeper_brokers_have_no_quorum_settings() -> None:
    settings = properties.broker("2.6.2", 1, WHERE, DIRS, kraft=False)
    assert settings["zookeeper.connect"] == "127.0.0.1:30"
    assert not any(key.startswith(("controller.", "process.", "node.")) for key in settings)


def test_releases_without_listener_names_have_one_listener() -> None:
    settings = properties.broker("0.9.0.1", 1, WHERE, DIRS, kraft=False)
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:1"
    assert settings["advertised.listeners"] == "PLAINTEXT://127.0.0.1:11"
    assert "listener.security.protocol.map" not in settings


def test_racks_are_one_per_broker_and_leaders_heed_them() -> None:
    selector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
    assert [properties.racks(node) for node in (1, 2)] == [
        {"broker.rack": "rack-1", "replica.selector.class": selector},
        {"broker.rack": "rack-2", "replica.selector.class": selector},
    ]
    assert "broker.rack" not in properties.broker("3.9.2", 1, WHERE, DIRS, kraft=True)


def test_the_state_of_share_groups_is_an_internal_topic_where_brokers_have_it() -> None:
    held = {version: list(internal_topics(version)) for version in ("0.9.0.1", "4.1.2", "4.2.0")}
    assert held["0.9.0.1"] == ["__consumer_offsets"]
    assert held["4.1.2"] == ["__consumer_offsets", "__transaction_state"]
    assert held["4.2.0"] == [*held["4.1.2"], "__share_group_state"]
    key = "share.coordinator.state.topic.num.partitions"
    settings = [properties.broker(version, 1, WHERE, DIRS, kraft=True).get(key) for version in ("4.1.2", "4.2.0")]
    assert settings == [None, str(properties.INTERNAL_PARTITIONS)]


def test_ids_never_begin_with_a_dash_and_have_22_characters() -> None:
    made = {properties.new_id() for _ in range(300)}
    assert len(made) == 300
    assert all(len(one) == 22 and not one.startswith("-") for one in made)


def test_brokers_use_the_class_data_archive() -> None:
    java = Java(Path("/j/java"), [Path("/a.jar"), Path("/b.jar")], ("-Dx=y",), Path("/k.jsa"))
    argv = java.argv(KAFKA, Path("/f"), Path("/f/server.properties"))
    assert "-XX:SharedArchiveFile=/k.jsa" in argv
    assert argv[-2:] == [KAFKA, "/f/server.properties"]
    assert argv[argv.index("-cp") + 1] == "/a.jar:/b.jar"


def test_written_values_are_read_back() -> None:
    written = Writer().pack("hib", 1, -2, 3).string("topic").string(None).ints([1, 2]).compact("c").varint(300)
    read = Reader(bytes(written.data))
    assert (read.number("h"), read.number("i"), read.number("b")) == (1, -2, 3)
    assert (read.string(), read.string(), read.ints(), read.compact(), read.varint()) == ("topic", "", (1, 2), "c", 300)
    with pytest.raises(struct.error):
        read.number("h")


def test_a_repeated_log_line_is_kept_twice_per_second() -> None:
    deduplicator = broker_log.LineDeduplicator()
    moments = [at for at in range(0, 1_200_000, 1000) if not deduplicator.is_one(1, at, "uncaught")]
    assert moments == [0, 500_000, 1_000_000]
    deduplicator = broker_log.LineDeduplicator()
    kept = [
        (node, text)
        for node, text in [(1, "a"), (1, "b"), (1, "a"), (2, "a")]
        if not deduplicator.is_one(node, 7, text)
    ]
    assert kept == [(1, "a"), (1, "b"), (2, "a")]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("WARN [ReplicaManager broker=1] Stopping serving logs in dir /tmp/x/d0", True),
        ("ERROR Error while writing to checkpoint file", True),
        ("java.lang.ArrayIndexOutOfBoundsException: Index 18 out of bounds for length 17", True),
        ("\tat kafka.server.KafkaServer.controlledShutdown(KafkaServer.scala:1)", False),
        ("INFO [KafkaServer id=1] Starting controlled shutdown", True),
        ("INFO KafkaConfig values: ", False),
        ("INFO Created log for partition t-0 with properties {unclean.leader.election.enable -> false}", False),
        ("INFO [SocketServer listenerType=BROKER, nodeId=1] Enabling request processing.", False),
    ],
)
def test_which_log_lines_are_events(line: str, kept: bool) -> None:
    assert bool(broker_log.is_event(line)) is kept


@pytest.mark.parametrize(
    "kind", ["Log(dir=/tmp/x-1/d0/t-67, topic=t, ", "UnifiedLog(dir=/tmp/x-1/d0/t-67, topicId=Some(q), "]
)
def test_a_loaded_log_is_shortened_to_name_and_progress(kind: str) -> None:
    progress = "with 1 segments in 8ms (18/82 loaded in d0)"
    line = f"INFO Completed load of {kind}partition=67, highWatermark={'0' * 200}) {progress}"
    assert broker_log.is_event(line) == f"INFO Completed load of t-67 {progress}"


def test_the_topic_of_a_cell_is_found_in_a_log_line() -> None:
    line = "WARN Stopping serving logs in dir /tmp/kafka-metadata-probe-x1/broker-3/d0"
    assert TOPIC.findall(line) == []
    assert TOPIC.findall("ERROR Error for partition probe-java-group-ab12-0 at offset 3") == ["probe-java-group-ab12-0"]


def watched_subject() -> WatchedSubject:
    return WatchedSubject(Subject(topic="t", affected=0, bystander=1, instance="i", client_id="i", old=1), terms=1)


def test_a_move_is_seen_at_the_first_and_announced_at_the_last() -> None:
    one, healthy = watched_subject(), (2, 3)
    assert list(one.learn(2, 1, healthy)) == []
    assert list(one.learn(3, 1, healthy)) == []
    assert list(one.learn(2, -1, healthy)) == []
    assert list(one.learn(2, 3, healthy)) == [EngineKind.MOVED]
    assert list(one.learn(3, 1, healthy)) == []
    assert list(one.learn(3, 3, healthy)) == [EngineKind.ANNOUNCED]
    assert list(one.learn(3, 3, healthy)) == []


def test_a_late_first_report_of_the_old_leader_is_no_move() -> None:
    one, healthy = watched_subject(), (2, 3)
    assert list(one.learn(2, 3, healthy)) == [EngineKind.MOVED]
    assert list(one.learn(3, 1, healthy)) == []
    assert list(one.learn(3, 3, healthy)) == [EngineKind.ANNOUNCED]


def test_a_leader_can_move_again_and_back() -> None:
    one, healthy = watched_subject(), (2,)
    assert list(one.learn(2, 1, healthy)) == []
    assert list(one.learn(2, 2, healthy)) == [EngineKind.MOVED, EngineKind.ANNOUNCED]
    assert list(one.learn(2, 1, healthy)) == [EngineKind.MOVED, EngineKind.ANNOUNCED]


def asked(conn: int, client_id: str) -> Request:
    return Request(at=2, conn=conn, broker=1, corr=1, api=3, version=1, client_id=client_id, size=10)


def test_connections_are_routed_by_client_id() -> None:
    mine: list[Event] = []
    other: list[Event] = []
    router = EventRouter()
    router.join("sarama-producer-abc", mine.append)
    router.join("java-producer-def", other.append)
    opened, second = Opened(at=1, conn=7, broker=1), Opened(at=1, conn=8, broker=1)
    for event in (opened, second, asked(7, "sarama-producer-abc"), asked(8, "sarama-producer-abc-2")):
        router.route(event)
    closed = Closed(at=3, conn=7, broker=1, by="client")
    router.route(closed)
    assert mine == [opened, asked(7, "sarama-producer-abc"), second, asked(8, "sarama-producer-abc-2"), closed]
    assert other == []


def test_a_slowed_storm_is_routed_by_its_connection() -> None:
    mine: list[Event] = []
    other: list[Event] = []
    router = EventRouter()
    router.join("sarama-producer-abc", mine.append)
    router.join("java-producer-def", other.append)
    slowed = EngineEvent(at=5, kind=EngineKind.SLOWED, broker=1, value=5, conn=7)
    for event in (Opened(at=1, conn=7, broker=1), asked(7, "sarama-producer-abc"), slowed):
        router.route(event)
    assert mine[-1] == slowed
    assert other == []


def test_connections_of_unknown_clients_are_dropped() -> None:
    mine: list[Event] = []
    router = EventRouter()
    router.join("ours", mine.append)
    router.route(Opened(at=1, conn=7, broker=1))
    for _ in range(2 * KEPT):
        router.route(asked(7, "kafka-cli"))
    router.route(Closed(at=3, conn=7, broker=1, by="client"))
    assert mine == []


def test_a_connection_without_a_request_goes_to_all_members() -> None:
    mine: list[Event] = []
    router = EventRouter()
    router.join("ours", mine.append)
    events: list[Event] = [Opened(at=1, conn=7, broker=1), Closed(at=2, conn=7, broker=1, by="relay")]
    for event in events:
        router.route(event)
    assert mine == events


def test_every_jar_of_every_line_has_a_digest() -> None:
    listed = real_brokers()
    assert {"3.9", "2.6"} <= set(listed)
    digests = broker_digests()
    assert all(digests[jar].startswith("sha256:") for kafka in listed.values() for jar in kafka.jars)


def test_a_line_means_its_listed_version() -> None:
    assert asked_brokers(["3.9", "2.6.2", "3.7.1"]) == {"3.9": "3.9.2", "2.6": "2.6.2", "3.7": "3.7.1"}
    assert asked_brokers(["0.10.2"]) == {"0.10.2": "0.10.2.2"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["2.8"], r"--broker 2\.8: no version of this line.*2\.6\.2.*exact version"),
        (["3.9.2", "3.9.1"], r"--broker 3\.9\.1: this run already uses 3\.9\.2"),
        (["new"], r"--broker new: write a Kafka release line"),
        (["0.8.2.2"], r"real brokers can be started from 0\.9\.0 on"),
    ],
)
def test_brokers_that_cannot_be_run_are_named(asked: list[str], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        asked_brokers(asked)


@pytest.mark.parametrize(
    ("version", "mode", "scala"),
    [
        ("4.1.0", "kraft", "2.13"),
        ("3.7.2", "kraft", "2.13"),
        ("3.3.2", "zookeeper", "2.13"),
        ("1.0.2", "zookeeper", "2.12"),
    ],
)
def test_unlisted_versions_get_mode_and_artifact(version: str, mode: str, scala: str) -> None:
    found = generation_of(version)
    assert (found.mode, found.roots(version)[0]) == (mode, f"org.apache.kafka:kafka_{scala}:{version}")


@pytest.mark.parametrize(("version", "used"), [("2.0.1", "3.4.10"), ("2.3.1", "3.4.10"), ("2.4.1", "3.4.13")])
def test_a_zookeeper_that_newer_java_cannot_run_is_replaced(version: str, used: str) -> None:
    resolved = [f"org.apache.kafka:kafka_2.12:{version}", "org.apache.zookeeper:zookeeper:3.4.13", "a:b:1:jar:linux"]
    assert generation_of(version).usable(resolved) == (
        f"org.apache.kafka:kafka_2.12:{version}",
        f"org.apache.zookeeper:zookeeper:{used}",
        "a:b:1:jar:linux",
    )


def test_the_dependency_list_of_maven_is_parsed() -> None:
    listed = """
The following files have been resolved:
   org.apache.kafka:kafka_2.13:jar:3.7.2:compile -- module kafka.2.13 (auto)
   io.netty:netty-transport-native-epoll:jar:linux-x86_64:4.1.110.Final:runtime
   junit:junit:jar:4.13:test
   org.example:parent:pom:1:compile
"""
    assert jars(listed) == [
        "org.apache.kafka:kafka_2.13:3.7.2",
        "io.netty:netty-transport-native-epoll:4.1.110.Final:jar:linux-x86_64",
    ]
