"""Digests of the APIs of partition leaders, and of those that name the leaders."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from probe.model import Row
from probe.protocol.rows import Asked, Body, Digest, Names, learn, nodes_of, partitions_of, row, topic_of


def ask_produce(body: Body, _: int, names: Names) -> Digest:
    """Read the partitions, and acks."""
    rows = (
        row(topic, part["Index"], size=part["Records"] or 0)
        for topic, part in partitions_of(body, "TopicData", "PartitionData", names)
    )
    return Digest(tuple(rows), acks=body["Acks"])


def _leader(part: Body) -> tuple[int | None, int | None]:
    """Return leader and epoch of the hint in an error answer (KIP-951)."""
    hint = part.get("CurrentLeader")
    return (hint["LeaderId"], hint["LeaderEpoch"]) if hint else (None, None)


def answer_produce(body: Body, _: Asked, names: Names) -> Digest:
    """Read codes, base offsets and hints."""
    rows = (
        row(topic, part["Index"], part["ErrorCode"], *_leader(part), part["BaseOffset"])
        for topic, part in partitions_of(body, "Responses", "PartitionResponses", names)
    )
    return Digest(tuple(rows))


def ask_fetch(body: Body, _: int, names: Names) -> Digest:
    """Read partitions, epochs and positions that this request names."""
    rows = (
        row(topic, part["Partition"], epoch=part.get("CurrentLeaderEpoch"), offset=part["FetchOffset"])
        for topic, part in partitions_of(body, "Topics", "Partitions", names, "Topic")
    )
    return Digest(tuple(rows))


def answer_fetch(body: Body, _: Asked, names: Names) -> Digest:
    """Read codes, hints and sizes."""
    rows = (
        row(topic, part["PartitionIndex"], part["ErrorCode"], *_leader(part), None, part["Records"] or 0)
        for topic, part in partitions_of(body, "Responses", "Partitions", names, "Topic")
    )
    return Digest(tuple(rows), body.get("ErrorCode", 0))


def forgotten(body: Body, names: Names) -> set[tuple[str, int]]:
    """Return the partitions that an incremental fetch removes from its session (KIP-227)."""
    return {
        (topic_of(item, names, "Topic"), partition)
        for item in body.get("ForgottenTopicsData") or ()
        for partition in item["Partitions"]
    }


def ask_share(body: Body, _: int, names: Names) -> Digest:
    """Read the partitions that a ShareFetch or ShareAcknowledge names, in a session only changes, and what it accepts.

    A partition has a row per run of records that are accepted, or one without any (KIP-932).
    """
    rows = (
        row(topic, part["PartitionIndex"], offset=first, records=count)
        for topic, part in partitions_of(body, "Topics", "Partitions", names, "Topic")
        for first, count in _accepted(part.get("AcknowledgementBatches") or ()) or NO_RECORDS
    )
    return Digest(tuple(rows), session_epoch=body.get("ShareSessionEpoch"))


ACCEPT = 1
"""AcknowledgeType.ACCEPT of Kafka's clients; 0 is a gap, 2 releases, 3 rejects, 4 renews."""
NO_RECORDS: list[tuple[int | None, int | None]] = [(None, None)]
Given = tuple[int | None, int | None, int | None]
NONE_GIVEN: list[Given] = [(None, None, None)]


def _accepted(batches: Iterable[Body]) -> list[tuple[int | None, int | None]]:
    """Return (first offset, number of records) of the accepted runs. One type stands for all records of a batch."""
    found: list[tuple[int | None, int | None]] = []
    for batch in batches:
        first, types = batch["FirstOffset"], batch["AcknowledgeTypes"]
        every = types if len(types) > 1 else [*types] * (batch["LastOffset"] - first + 1)
        for kind, run in groupby(enumerate(every, first), key=itemgetter(1)):
            offsets = [offset for offset, _ in run]
            if kind == ACCEPT:
                found.append((offsets[0], len(offsets)))
    return found


def answer_share(body: Body, _: Asked, names: Names) -> Digest:
    """Read codes of partitions, of acknowledgements that came with a fetch, too, hints, and the records given.

    A partition has a row per run of records that the member was given, or one without any (KIP-932).
    """
    rows = (
        row(
            topic,
            part["PartitionIndex"],
            part["ErrorCode"] or part.get("AcknowledgeErrorCode", 0),
            *_leader(part),
            first,
            records=count,
            deliveries=deliveries,
        )
        for topic, part in partitions_of(body, "Responses", "Partitions", names, "Topic")
        for first, count, deliveries in _given(part.get("AcquiredRecords") or ()) or NONE_GIVEN
    )
    return Digest(tuple(rows), body.get("ErrorCode", 0))


def _given(runs: Iterable[Body]) -> list[Given]:
    """Return (first offset, number of records, delivery count) of the runs of records that a member was given."""
    return [(run["FirstOffset"], run["LastOffset"] - run["FirstOffset"] + 1, run.get("DeliveryCount")) for run in runs]


def ask_list_offsets(body: Body, _: int, names: Names) -> Digest:
    """Read partitions and epochs."""
    rows = (
        row(topic, part["PartitionIndex"], epoch=part.get("CurrentLeaderEpoch"))
        for topic, part in partitions_of(body, "Topics", "Partitions", names)
    )
    return Digest(tuple(rows))


def answer_list_offsets(body: Body, _: Asked, names: Names) -> Digest:
    """Read codes and offsets."""
    rows = (
        row(topic, part["PartitionIndex"], part["ErrorCode"], None, part.get("LeaderEpoch"), _listed(part))
        for topic, part in partitions_of(body, "Topics", "Partitions", names)
    )
    return Digest(tuple(rows))


def _listed(part: Body) -> int:
    """Return the offset. Version 0 lists several, the newest first."""
    return int(part["Offset"] if "Offset" in part else next(iter(part["OldStyleOffsets"] or ()), -1))


def ask_epochs(body: Body, _: int, names: Names) -> Digest:
    """Read OffsetForLeaderEpoch: partitions and their epochs."""
    rows = (
        row(topic, part["Partition"], epoch=part.get("CurrentLeaderEpoch"))
        for topic, part in partitions_of(body, "Topics", "Partitions", names, "Topic")
    )
    return Digest(tuple(rows))


def answer_epochs(body: Body, _: Asked, names: Names) -> Digest:
    """Read codes and end offsets."""
    rows = (
        row(topic, part["Partition"], part["ErrorCode"], None, part.get("LeaderEpoch"), part["EndOffset"])
        for topic, part in partitions_of(body, "Topics", "Partitions", names, "Topic")
    )
    return Digest(tuple(rows))


def asks_for_all(topics: list[Body] | None, version: int) -> bool:
    """Return whether a list asks for all topics: null does. In version 0, without null, an empty one does (KIP-4)."""
    return topics is None or (not topics and version == 0)


def ask_metadata(body: Body, version: int, names: Names) -> Digest:
    """Read Metadata."""
    topics = body["Topics"]
    if asks_for_all(topics, version):
        return Digest(everything=True)
    return Digest(tuple(row(topic_of(item, names)) for item in topics))


def answer_metadata(body: Body, _: Asked, names: Names) -> Digest:
    """Read the controller and the leaders: a row per partition, and per topic with an error or without partitions."""
    learn(body["Topics"], names)
    rows: list[Row] = []
    for item in body["Topics"]:
        topic = topic_of(item, names)
        if item["ErrorCode"] or not item["Partitions"]:
            rows.append(row(topic, code=item["ErrorCode"]))
        rows += [
            row(topic, part["PartitionIndex"], part["ErrorCode"], part["LeaderId"], part.get("LeaderEpoch"))
            for part in item["Partitions"]
        ]
    nodes = nodes_of(body["Brokers"], "NodeId")
    return Digest(tuple(rows), body.get("ErrorCode", 0), controller=body.get("ControllerId"), nodes=nodes)


def answer_describe_cluster(body: Body, _: Asked, __: Names) -> Digest:
    """Read the code and the controller."""
    return Digest(code=body["ErrorCode"], controller=body["ControllerId"], nodes=nodes_of(body["Brokers"], "BrokerId"))


def answer_create_topics(body: Body, _: Asked, names: Names) -> Digest:
    """Read the code of every topic."""
    learn(body["Topics"], names)
    return Digest(tuple(row(item["Name"], code=item["ErrorCode"]) for item in body["Topics"]))
