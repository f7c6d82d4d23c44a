"""Fields read from requests and responses, for every version of every API that a verdict needs."""

from __future__ import annotations

from typing import Any

import pytest

from probe.model import Request, Row
from probe.protocol import apis
from tests.support.protocol_talk import TOPIC, answer, ask, knowing, named
from tests.support.protocol_wire import ID, Body, conversation, plain, request

HINT = {"LeaderId": 3, "LeaderEpoch": 8}


@pytest.mark.parametrize("version", range(14))
def test_produce_rows_are_read(version: int) -> None:
    talk = knowing()
    parts = [{"Index": 0, "Records": b"x" * 61}, {"Index": 5}]
    sent = ask(talk, 0, version, Acks=-1, TopicData=[{**named(version, 13), "PartitionData": parts}])
    assert sent.rows == (Row(topic=TOPIC, partition=0, size=61), Row(topic=TOPIC, partition=5, size=0))
    assert sent.acks == -1
    bad: Body = {"Index": 5, "ErrorCode": 6, "BaseOffset": -1}
    if version >= 10:
        bad["CurrentLeader"] = HINT
    parts = [{"Index": 0, "BaseOffset": 41}, bad]
    received = answer(talk, 0, version, Responses=[{**named(version, 13), "PartitionResponses": parts}])
    leader, epoch = (3, 8) if version >= 10 else (None, None)
    assert received.rows == (
        Row(topic=TOPIC, partition=0, offset=41),
        Row(topic=TOPIC, partition=5, code=6, leader=leader, epoch=epoch, offset=-1),
    )


@pytest.mark.parametrize("version", range(19))
def test_fetch_rows_are_read(version: int) -> None:
    talk = knowing()
    topic = named(version, 13, "Topic")
    sent = ask(talk, 1, version, Topics=[{**topic, "Partitions": [{"Partition": 2, "FetchOffset": 9}]}])
    assert sent.rows == (Row(topic=TOPIC, partition=2, offset=9, epoch=0 if version >= 9 else None),)
    part: Body = {"PartitionIndex": 2, "ErrorCode": 74, "Records": b"r" * 300}
    if version >= 12:
        part["CurrentLeader"] = HINT
    received = answer(talk, 1, version, Responses=[{**topic, "Partitions": [part]}])
    leader, epoch = (3, 8) if version >= 12 else (None, None)
    assert received.rows == (Row(topic=TOPIC, partition=2, code=74, leader=leader, epoch=epoch, size=300),)


@pytest.mark.parametrize("version", range(12))
def test_list_offsets_rows_are_read(version: int) -> None:
    talk = knowing()
    sent = ask(talk, 2, version, Topics=[{"Name": TOPIC, "Partitions": [{"PartitionIndex": 1}]}])
    assert sent.rows == (Row(topic=TOPIC, partition=1, epoch=0 if version >= 4 else None),)
    offsets: Body = {"Offset": 55} if version else {"OldStyleOffsets": [55, 0]}
    received = answer(talk, 2, version, Topics=[{"Name": TOPIC, "Partitions": [{"PartitionIndex": 1, **offsets}]}])
    assert received.rows == (Row(topic=TOPIC, partition=1, offset=55, epoch=0 if version >= 4 else None),)


@pytest.mark.parametrize("version", range(14))
def test_metadata_rows_are_read(version: int) -> None:
    talk = conversation()
    assert ask(talk, 3, version, Topics=[{"Name": TOPIC}]).rows == (Row(topic=TOPIC),)
    part = {"ErrorCode": 5, "PartitionIndex": 1, "LeaderId": -1, "ReplicaNodes": [1, 2]}
    topic = {"Name": TOPIC, "Partitions": [{"LeaderId": 2}, part], **({"TopicId": ID} if version >= 10 else {})}
    received = answer(talk, 3, version, Topics=[topic, {"Name": "gone", "ErrorCode": 3}, {"Name": "empty"}])
    epoch = 0 if version >= 7 else None
    assert received.rows == (
        Row(topic=TOPIC, partition=0, leader=2, epoch=epoch),
        Row(topic=TOPIC, partition=1, code=5, leader=-1, epoch=epoch),
        Row(topic="gone", code=3),
        Row(topic="empty"),
    )


@pytest.mark.parametrize(
    ("version", "topics", "everything"),
    [(0, [], True), (1, [], False), (1, None, True), (12, None, True), (12, [], False)],
)
def test_metadata_requests_for_all_topics_or_for_brokers_only(version: int, topics: Any, everything: bool) -> None:
    body = {**plain(3, version, "Request"), "Topics": topics}
    (sent,) = conversation().client_bytes(request(3, version, body), 1)
    assert isinstance(sent, Request)
    assert (sent.everything, sent.rows, sent.error) == (everything, (), "")


@pytest.mark.parametrize(("api", "version", "named"), [(3, 0, None), (3, 1, 2), (3, 12, 2), (60, 0, 2), (60, 1, 2)])
def test_the_controller_is_read_where_an_answer_names_it(api: int, version: int, named: int | None) -> None:
    talk = conversation()
    ask(talk, api, version)
    assert answer(talk, api, version, **({} if named is None else {"ControllerId": named})).controller == named


@pytest.mark.parametrize("version", range(7))
def test_find_coordinator_rows_are_read(version: int) -> None:
    talk = conversation()
    kind = 1 if version else 0
    wanted: Body = {"CoordinatorKeys": ["a", "b"]} if version >= 4 else {"Key": "a"}
    if version:
        wanted["KeyType"] = 1
    sent = ask(talk, 10, version, **wanted)
    assert sent.rows[0] == Row(key="a", key_type=kind)
    found = [{"Key": "a", "NodeId": 2}, {"Key": "b", "NodeId": -1, "ErrorCode": 15}]
    body: Body = {"Coordinators": found} if version >= 4 else {"NodeId": 2}
    received = answer(talk, 10, version, **body)
    assert received.rows[0] == Row(key="a", key_type=kind, leader=2)
    assert received.rows[1:] == ((Row(key="b", key_type=kind, leader=-1, code=15),) if version >= 4 else ())


@pytest.mark.parametrize("version", range(11))
def test_offset_commit_rows_are_read(version: int) -> None:
    talk = knowing()
    parts = [{"PartitionIndex": 0, "CommittedOffset": 12}]
    sent = ask(talk, 8, version, GroupId="g", Topics=[{**named(version, 10), "Partitions": parts}])
    assert sent.rows == (Row(key="g", topic=TOPIC, partition=0, offset=12),)
    received = answer(talk, 8, version, Topics=[{**named(version, 10), "Partitions": [{"ErrorCode": 16}]}])
    assert received.rows == (Row(key="g", topic=TOPIC, partition=0, code=16),)


@pytest.mark.parametrize("version", range(11))
def test_offset_fetch_rows_are_read(version: int) -> None:
    talk = knowing()
    topics = [{**named(version, 10), "PartitionIndexes": [0]}]
    sent = ask(talk, 9, version, **group_of(version, {"GroupId": "g", "Topics": topics}))
    assert sent.rows == (Row(key="g", topic=TOPIC, partition=0),)
    found = [{**named(version, 10), "Partitions": [{"CommittedOffset": 12}]}]
    received = answer(talk, 9, version, **group_of(version, {"Topics": found}, GroupId="g"))
    assert received.rows == (Row(key="g", topic=TOPIC, partition=0, offset=12),)


@pytest.mark.parametrize("version", range(2, 11))
def test_an_offset_fetch_of_a_group_has_one_error(version: int) -> None:
    talk = conversation()
    assert ask(talk, 9, version, **group_of(version, {"GroupId": "g"})).rows == (Row(key="g"),)
    received = answer(talk, 9, version, **group_of(version, {"ErrorCode": 14}, GroupId="g"))
    assert (received.code, received.rows) == (14, (Row(key="g", code=14),))


def group_of(version: int, body: Body, **since_8: str) -> Body:
    """Return the body in the form of the version: version 8 and later have a list of groups."""
    return {"Groups": [{**since_8, **body}]} if version >= 8 else body


@pytest.mark.parametrize(("api", "highest"), [(11, 9), (12, 4), (13, 5), (14, 5), (22, 5), (25, 4), (26, 5)])
def test_group_and_transaction_keys_are_read_in_all_versions(api: int, highest: int) -> None:
    given: Body = {"TransactionalId" if api in {22, 25, 26} else "GroupId": "k"}
    for version in range(highest + 1):
        talk = conversation()
        assert ask(talk, api, version, **given).rows == (Row(key="k"),)
        received = answer(talk, api, version, ErrorCode=51)
        assert (received.code, received.rows) == (51, (Row(key="k", code=51),))


@pytest.mark.parametrize(
    ("api", "versions"), [(apis.CONSUMER_GROUP_HEARTBEAT, (0, 1)), (apis.SHARE_GROUP_HEARTBEAT, (1,))]
)
def test_a_heartbeat_of_the_new_protocols_has_the_epoch_of_the_member(api: int, versions: tuple[int, ...]) -> None:
    for version in versions:
        talk = conversation()
        assert ask(talk, api, version, GroupId="k", MemberEpoch=7).rows == (Row(key="k", epoch=7),)
        assert answer(talk, api, version, MemberEpoch=8).rows == (Row(key="k", epoch=8),)
        ask(talk, api, version, GroupId="k", MemberEpoch=8)
        refused = answer(talk, api, version, ErrorCode=110)
        assert (refused.code, refused.rows) == (110, (Row(key="k", code=110),))


def test_producer_ids_without_transactions_have_an_empty_key() -> None:
    body = {**plain(22, 4, "Request"), "TransactionalId": None}
    (sent,) = conversation().client_bytes(request(22, 4, body), 1)
    assert isinstance(sent, Request)
    assert sent.rows == (Row(),)


def test_an_error_of_a_leaving_member_is_read() -> None:
    talk = conversation()
    ask(talk, 13, 4, GroupId="g")
    received = answer(talk, 13, 4, Members=[{}, {"ErrorCode": 25}])
    assert (received.code, received.rows) == (0, (Row(key="g", code=25),))


@pytest.mark.parametrize("version", range(6))
def test_add_partitions_to_txn_rows_are_read(version: int) -> None:
    talk = conversation()
    topics = [{"Name": TOPIC, "Partitions": [4]}]
    old: Body = {"V3AndBelowTransactionalId": "t", "V3AndBelowTopics": topics}
    new: Body = {"Transactions": [{"TransactionalId": "t", "Topics": topics}]}
    assert ask(talk, 24, version, **(new if version >= 4 else old)).rows == (Row(key="t", topic=TOPIC, partition=4),)
    results = [{"Name": TOPIC, "ResultsByPartition": [{"PartitionIndex": 4, "PartitionErrorCode": 51}]}]
    new = {"ResultsByTransaction": [{"TransactionalId": "t", "TopicResults": results}]}
    received = answer(talk, 24, version, **(new if version >= 4 else {"ResultsByTopicV3AndBelow": results}))
    assert received.rows == (Row(key="t", topic=TOPIC, partition=4, code=51),)


@pytest.mark.parametrize("version", range(7))
def test_txn_offset_commit_rows_are_read(version: int) -> None:
    talk = knowing()
    topics = [{**named(version, 6), "Partitions": [{"CommittedOffset": 3}]}]
    rows = ask(talk, 28, version, TransactionalId="t", GroupId="g", Topics=topics).rows
    assert rows == (Row(key="g", topic=TOPIC, partition=0, offset=3),)
    received = answer(talk, 28, version, Topics=[{**named(version, 6), "Partitions": [{"ErrorCode": 14}]}])
    assert received.rows == (Row(key="g", topic=TOPIC, partition=0, code=14),)


@pytest.mark.parametrize("version", range(5))
def test_offset_for_leader_epoch_rows_are_read(version: int) -> None:
    talk = conversation()
    sent = ask(talk, 23, version, Topics=[{"Topic": TOPIC, "Partitions": [{"Partition": 1, "LeaderEpoch": 5}]}])
    assert sent.rows == (Row(topic=TOPIC, partition=1, epoch=0 if version >= 2 else None),)
    received = answer(talk, 23, version, Topics=[{"Topic": TOPIC, "Partitions": [{"ErrorCode": 75, "EndOffset": 7}]}])
    assert received.rows == (Row(topic=TOPIC, partition=0, code=75, offset=7, epoch=0 if version >= 1 else None),)


@pytest.mark.parametrize("version", range(6))
def test_api_versions_is_read_without_rows(version: int) -> None:
    talk = conversation()
    ask(talk, 18, version)
    assert answer(talk, 18, version, ApiKeys=[{"ApiKey": 1, "MaxVersion": 4}]).code == 0
