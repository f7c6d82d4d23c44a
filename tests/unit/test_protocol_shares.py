"""ShareFetch and ShareAcknowledge (KIP-932): what a request accepts, what an answer gives, and share sessions."""

from __future__ import annotations

import pytest

from probe.model import Request, Row
from probe.protocol.apis import SHARE_ACKNOWLEDGE, SHARE_FETCH
from probe.protocol.conversation import Conversation
from tests.support.protocol_talk import TOPIC, answer, ask, knowing
from tests.support.protocol_wire import ID, Body, plain, request

VERSIONS = (1, 2)


def batch(first: int, last: int, *types: int) -> Body:
    return {"FirstOffset": first, "LastOffset": last, "AcknowledgeTypes": list(types)}


def named(*parts: Body) -> list[Body]:
    return [{"TopicId": ID, "Partitions": list(parts)}]


def accepted(offset: int, records: int) -> Row:
    return Row(topic=TOPIC, partition=4, offset=offset, records=records)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("api", [SHARE_FETCH, SHARE_ACKNOWLEDGE])
def test_a_request_says_which_records_it_accepts(api: int, version: int) -> None:
    """One type stands for its whole batch; gaps, releases and rejections accept nothing."""
    batches = [batch(3, 5, 1), batch(7, 10, 1, 0, 1, 1), batch(11, 12, 2), batch(13, 13, 3)]
    topics = named({"PartitionIndex": 4, "AcknowledgementBatches": batches})
    rows = ask(knowing(), api, version, Topics=topics).rows
    assert [row for row in rows if row.records] == [accepted(3, 3), accepted(7, 1), accepted(9, 2)]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_says_which_records_it_gives_and_whom_it_refuses(version: int) -> None:
    talk = knowing()
    ask(talk, SHARE_FETCH, version)
    runs = [
        {"FirstOffset": 3, "LastOffset": 5, "DeliveryCount": 1},
        {"FirstOffset": 9, "LastOffset": 9, "DeliveryCount": 2},
    ]
    hint = {"LeaderId": 2, "LeaderEpoch": 8}
    given = {"PartitionIndex": 4, "AcquiredRecords": runs, "CurrentLeader": {"LeaderId": -1, "LeaderEpoch": -1}}
    refused = {"PartitionIndex": 5, "AcknowledgeErrorCode": 121, "CurrentLeader": {"LeaderId": -1, "LeaderEpoch": -1}}
    moved = {"PartitionIndex": 6, "ErrorCode": 6, "CurrentLeader": hint}
    rows = answer(talk, SHARE_FETCH, version, Responses=named(given, refused, moved)).rows
    assert rows == (
        Row(topic=TOPIC, partition=4, leader=-1, epoch=-1, offset=3, records=3, deliveries=1),
        Row(topic=TOPIC, partition=4, leader=-1, epoch=-1, offset=9, records=1, deliveries=2),
        Row(topic=TOPIC, partition=5, code=121, leader=-1, epoch=-1),
        Row(topic=TOPIC, partition=6, code=6, leader=2, epoch=8),
    )


class Sharing:
    """A connection with ShareFetch only."""

    def __init__(self) -> None:
        self.talk: Conversation = knowing()
        self.corr = 0

    def ask(self, member: str, epoch: int, *parts: Body, forget: tuple[int, ...] = ()) -> list[tuple[int, int]]:
        """Send a request; return partition and accepted records of every row."""
        self.corr += 1
        gone: list[Body] = [{"TopicId": ID, "Partitions": list(forget)}] if forget else []
        body = plain(
            SHARE_FETCH,
            2,
            "Request",
            GroupId="g",
            MemberId=member,
            ShareSessionEpoch=epoch,
            Topics=named(*parts) if parts else [],
            ForgottenTopicsData=gone,
        )
        (event,) = self.talk.client_bytes(request(SHARE_FETCH, 2, body, corr=self.corr), self.corr * 10_000)
        assert isinstance(event, Request)
        return [(row.partition, row.records or 0) for row in event.rows]


def test_a_share_session_is_that_of_a_member_and_names_changes_only() -> None:
    share, accepts = Sharing(), {"PartitionIndex": 0, "AcknowledgementBatches": [batch(3, 4, 1)]}
    assert share.ask("a", 0, {"PartitionIndex": 0}, {"PartitionIndex": 1}) == [(0, 0), (1, 0)]
    assert share.ask("b", 0, {"PartitionIndex": 2}) == [(2, 0)]
    assert share.ask("a", 1) == [(0, 0), (1, 0)]
    assert share.ask("a", 2, accepts) == [(0, 2), (0, 0), (1, 0)]
    assert share.ask("a", 3, forget=(0,)) == [(1, 0)]
    assert share.ask("a", -1) == []
    assert share.ask("b", 1) == [(2, 0)]
