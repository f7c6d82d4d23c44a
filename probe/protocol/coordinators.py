"""Digests of FindCoordinator and of the APIs of coordinators.

Every digest has at least one row with its group or transactional id. Answers carry the key of their request.
"""

from __future__ import annotations

from probe.model import Row
from probe.protocol.rows import Asked, Body, Digest, Names, Question, nodes_of, partitions_of, row


def ask_coordinator(body: Body, _: int, __: Names) -> Digest:
    """Read the requested keys. Version 4 and later ask for several at once (KIP-699)."""
    keys = [body["Key"]] if "Key" in body else body["CoordinatorKeys"]
    return Digest(tuple(row("", key=key, key_type=body.get("KeyType", 0)) for key in keys))


def answer_coordinator(body: Body, asked: Asked, _: Names) -> Digest:
    """Read the coordinators of the keys."""
    found = body.get("Coordinators", [{"Key": asked.key, **body}])
    rows = [row("", -1, item["ErrorCode"], item["NodeId"], key=item["Key"], key_type=asked.key_type) for item in found]
    good = [item for item in found if not item["ErrorCode"]]
    return Digest(tuple(rows), body.get("ErrorCode", 0), nodes=nodes_of(good, "NodeId"))


def ask_key(field: str) -> Question:
    """Return a function that reads a request with no content other than its key."""
    return lambda body, _, __: Digest((row("", key=body[field] or ""),))


def answer_key(body: Body, asked: Asked, _: Names) -> Digest:
    """Read an answer with one error code, or with one per member (LeaveGroup)."""
    code = body["ErrorCode"]
    members = (member.get("ErrorCode", 0) for member in body.get("Members") or ())
    return Digest((row("", code=code or next(filter(None, members), 0), key=asked.key),), code)


def ask_membership(body: Body, _: int, __: Names) -> Digest:
    """Read a heartbeat of the new group protocols (KIP-848, KIP-932, KIP-1071): the epoch that the member has."""
    return Digest((row("", key=body["GroupId"], epoch=body["MemberEpoch"]),))


def answer_membership(body: Body, asked: Asked, _: Names) -> Digest:
    """Read the epoch that the coordinator gave. One that refuses gives none."""
    code = body["ErrorCode"]
    return Digest((row("", code=code, key=asked.key, epoch=None if code else body["MemberEpoch"]),), code)


def _keyed(rows: list[Row], key: str, code: int = 0) -> tuple[Row, ...]:
    """Prepend a row with the key alone where it adds something to the other rows."""
    return (row("", code=code, key=key), *rows) if code or not rows else tuple(rows)


def ask_commit(body: Body, _: int, names: Names) -> Digest:
    """Read OffsetCommit and TxnOffsetCommit: the offsets of a group."""
    key = body["GroupId"]
    rows = [
        row(topic, part["PartitionIndex"], offset=part["CommittedOffset"], key=key)
        for topic, part in partitions_of(body, "Topics", "Partitions", names)
    ]
    return Digest(_keyed(rows, key))


def answer_commit(body: Body, asked: Asked, names: Names) -> Digest:
    """Read the code of each partition."""
    rows = [
        row(topic, part["PartitionIndex"], part["ErrorCode"], key=asked.key)
        for topic, part in partitions_of(body, "Topics", "Partitions", names)
    ]
    return Digest(_keyed(rows, asked.key))


def ask_committed(body: Body, _: int, names: Names) -> Digest:
    """Read OffsetFetch. Version 8 and later ask for several groups (KIP-709); null topics mean all topics."""
    rows: list[Row] = []
    for group in body.get("Groups", [body]):
        key = group["GroupId"]
        parts = partitions_of(group, "Topics", "PartitionIndexes", names)
        rows += _keyed([row(topic, part, key=key) for topic, part in parts], key)
    return Digest(tuple(rows))


def answer_committed(body: Body, asked: Asked, names: Names) -> Digest:
    """Read OffsetFetch: codes and offsets per group."""
    rows: list[Row] = []
    groups = body.get("Groups", [{"GroupId": asked.key, **body}])
    for group in groups:
        key = group["GroupId"]
        found = [
            row(topic, part["PartitionIndex"], part["ErrorCode"], offset=part["CommittedOffset"], key=key)
            for topic, part in partitions_of(group, "Topics", "Partitions", names)
        ]
        rows += _keyed(found, key, group.get("ErrorCode", 0))
    return Digest(tuple(rows), next((group["ErrorCode"] for group in groups if group.get("ErrorCode")), 0))


def ask_add_partitions(body: Body, _: int, __: Names) -> Digest:
    """Read AddPartitionsToTxn. Version 4 and later carry several transactions, sent by brokers only (KIP-890)."""
    rows: list[Row] = []
    old = {"TransactionalId": body.get("V3AndBelowTransactionalId"), "Topics": body.get("V3AndBelowTopics")}
    for txn in body.get("Transactions", [old]):
        key = txn["TransactionalId"]
        found = [row(item["Name"], part, key=key) for item in txn["Topics"] for part in item["Partitions"]]
        rows += _keyed(found, key)
    return Digest(tuple(rows))


def answer_add_partitions(body: Body, asked: Asked, _: Names) -> Digest:
    """Read the code of each partition."""
    rows: list[Row] = []
    code = body.get("ErrorCode", 0)
    old = {"TransactionalId": asked.key, "TopicResults": body.get("ResultsByTopicV3AndBelow")}
    for txn in body.get("ResultsByTransaction", [old]):
        key = txn["TransactionalId"]
        found = [
            row(item["Name"], part["PartitionIndex"], part["PartitionErrorCode"], key=key)
            for item in txn["TopicResults"]
            for part in item["ResultsByPartition"]
        ]
        rows += _keyed(found, key, code)
    return Digest(tuple(rows) or (row("", code=code, key=asked.key),), code)


def answer_code(body: Body, _: Asked, __: Names) -> Digest:
    """Read an answer of which only the code is used: ApiVersions."""
    return Digest((), body["ErrorCode"])
