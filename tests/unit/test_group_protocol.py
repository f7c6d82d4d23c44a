"""The new group protocol (KIP-848) as the profile `consumer-protocol`: what is played in it, and what brokers set."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import select_clients, select_profiles
from probe.cli.wiring.catalogue import by_number, families
from probe.model import Cell, Client, Engine, Role
from probe.model.group_settings import effective, joins_anew
from probe.model.session_timeouts import session_ms
from probe.planning.selection import Selection, combinations

NEW = "consumer-protocol"
STREAMS = "streams-protocol"


def reasons(client: str, scenario: str, profile: str, line: str = "4.4", engine: Engine = Engine.EMBEDDED) -> set[str]:
    selection = Selection(
        clients=select_clients(families(), [client], by_number),
        scenarios=select_scenarios([scenario]),
        roles=(Role.GROUP,),
        profiles=select_profiles([profile], (), None),
        engine=engine,
        brokers=[line],
    )
    return {item.reason for item in combinations(selection)}


@pytest.mark.parametrize(
    ("scenario", "profile", "line", "reason"),
    [
        ("blip/consumer-group-heartbeat/UNKNOWN_MEMBER_ID", NEW, "4.4", ""),
        ("blip/consumer-group-heartbeat/UNKNOWN_MEMBER_ID", "isolated", "4.4", "profile consumer-protocol, Kafka 4.0"),
        ("blip/consumer-group-heartbeat/UNKNOWN_MEMBER_ID", NEW, "3.9", "profile consumer-protocol, Kafka 4.0"),
        ("blip/offset-commit/STALE_MEMBER_EPOCH", NEW, "4.4", ""),
        ("blip/offset-commit/STALE_MEMBER_EPOCH", "isolated", "4.4", "profile consumer-protocol, Kafka 4.0"),
        ("blip/offset-commit/ILLEGAL_GENERATION", NEW, "4.4", "profile consumer-protocol has another one"),
        ("blip/offset-commit/ILLEGAL_GENERATION", "isolated", "4.4", ""),
        ("answer/join-group/NOT_COORDINATOR", NEW, "4.4", "profile consumer-protocol has another one"),
        ("blip/heartbeat/UNKNOWN_MEMBER_ID", NEW, "4.4", "profile consumer-protocol has another one"),
        ("topic/grown-while-assigning", NEW, "4.4", "profile consumer-protocol has another one"),
        ("blip/heartbeat/UNKNOWN_MEMBER_ID", "isolated", "4.4", ""),
        ("answer/offset-commit/NOT_COORDINATOR", NEW, "4.4", ""),
        ("coordinator/moved", NEW, "4.4", ""),
        ("coordinator/moved", NEW, "3.9", ""),
    ],
)
def test_members_meet_the_errors_of_their_own_protocol(scenario: str, profile: str, line: str, reason: str) -> None:
    (found,) = reasons("java@4.4.0", scenario, profile, line)
    assert found.endswith(reason) if not reason else reason in found


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        ("librdkafka@2.11.1", "since 2.12.0: group.protocol=consumer is a preview before 2.12.0"),
        ("librdkafka@2.12.1", ""),
        ("franz-go@1.21.7", "since 1.22.0: kgo.ServerSideBalancer came with 1.22.0"),
        ("franz-go@1.22.3", ""),
        ("platformatic-kafka@1.16.0", "since 1.18.0: groupProtocol came with 1.18.0"),
        ("platformatic-kafka@1.18.0", ""),
        ("java@3.9.2", "since 4.0.0: group.protocol=consumer is a preview before 4.0"),
        ("confluent-javascript@1.4.1", "since 1.6.0"),
        ("sarama@1.61.1", "sarama has no profile consumer-protocol"),
    ],
)
def test_a_version_without_the_protocol_is_skipped_with_a_reason(client: str, reason: str) -> None:
    (found,) = reasons(client, "steady", NEW)
    assert reason in found
    assert bool(reason) == bool(found)


@pytest.mark.parametrize(
    ("client", "scenario", "line", "engine", "reason"),
    [
        ("streams@4.4.0", "steady", "4.4", Engine.KAFKA, ""),
        ("streams@4.4.0", "steady", "4.1.0", Engine.KAFKA, "needs Kafka 4.2 or newer"),
        ("streams@4.4.0", "steady", "4.4", Engine.EMBEDDED, "the embedded engine has no Streams groups"),
        ("streams@3.9.2", "steady", "4.4", Engine.KAFKA, "since 4.2.0"),
        ("java@4.4.0", "steady", "4.4", Engine.KAFKA, "java has no profile streams-protocol"),
    ],
)
def test_streams_groups_need_the_brokers_and_the_version_that_have_them(
    client: str, scenario: str, line: str, engine: Engine, reason: str
) -> None:
    (found,) = reasons(client, scenario, STREAMS, line, engine)
    assert reason in found
    assert bool(reason) == bool(found)


@pytest.mark.parametrize(("line", "heartbeat", "session"), [("4.0", "5000", "45000"), ("3.9", "3000", "6000")])
def test_brokers_set_session_and_heartbeats_where_they_have_the_protocol(
    line: str, heartbeat: str, session: str
) -> None:
    cell = Cell("librdkafka", "2.16.0", Role.GROUP, NEW, "steady", Engine.EMBEDDED, line)
    reported = {"heartbeat_ms": "3000", "session_timeout_ms": "6000", "refresh_ms": "7"}
    found = effective(cell, reported)
    assert (found["heartbeat_ms"], found["session_timeout_ms"], found["refresh_ms"]) == (heartbeat, session, "7")
    assert effective(cell, {}) == {}
    assert joins_anew(cell) is (line == "4.0")


def test_the_session_of_the_protocol_is_the_brokers() -> None:
    assert session_ms(Client("librdkafka", "0.11.6"), NEW) == 45_000
    assert session_ms(Client("librdkafka", "2.16.0"), f"{NEW}+session.timeout.ms=6000") == 45_000
