"""Connections that carry payloads and credentials, each marked, for tests that search outputs for the marks."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable
from typing import Any

from probe.protocol.layout import Item
from probe.protocol.names import api_key
from tests.support.packets import Packet, Talk
from tests.support.protocol_wire import Body, framed, plain, request, response

MARK = "Zq7marker"
"""In no word of ours."""
SECRET = MARK.encode()
ENCODINGS = (MARK, base64.b64encode(SECRET).decode().rstrip("="), SECRET.hex())
"""Forms in which an output could show it."""
ASK, ANSWER = 0, 1
Message = tuple[int, bytes]

HANDSHAKE, AUTHENTICATE = api_key("SaslHandshake"), api_key("SaslAuthenticate")
CREATE_TOKEN, RENEW_TOKEN = api_key("CreateDelegationToken"), api_key("RenewDelegationToken")
EXPIRE_TOKEN, DESCRIBE_TOKEN = api_key("ExpireDelegationToken"), api_key("DescribeDelegationToken")
ALTER_SCRAM, ALTER_CONFIGS = api_key("AlterUserScramCredentials"), api_key("AlterConfigs")
INCREMENTAL, DESCRIBE_CONFIGS = api_key("IncrementalAlterConfigs"), api_key("DescribeConfigs")
CREATE_TOPICS, COMMIT = api_key("CreateTopics"), api_key("OffsetCommit")
PASSWORD = f"org.apache.kafka.common.security.plain.PlainLoginModule required password='{MARK}';"


def batch(value: bytes = SECRET) -> bytes:
    """Return a record batch (magic 2) with one record: key, value and a header's value."""
    sized = bytes([2 * len(value)]) + value
    record = b"\0\0\0" + sized + sized + b"\x02\x02h" + sized
    records = bytes([2 * len(record)]) + record
    head = struct.pack(">iBIhiqqqhii", 0, 2, 0xC0FFEE, 0, 0, 0, 0, -1, -1, -1, 1)
    return struct.pack(">qi", 0, len(head) + len(records)) + head + records


def message(magic: int, value: bytes = SECRET) -> bytes:
    """Return a message of the formats before batches: key and value."""
    body = struct.pack(">IBB", 0xC0FFEE, magic, 0) + (struct.pack(">q", 0) if magic else b"")
    for part in (value, value):
        body += struct.pack(">i", len(part)) + part
    return struct.pack(">qi", 0, len(body)) + body


def pair(api: int, version: int, asked: Body, answered: Body, corr: int = 1) -> list[Message]:
    """Return a request and its answer; fields that are not given are empty."""
    return [
        (ASK, request(api, version, plain(api, version, "Request", **asked), corr=corr)),
        (ANSWER, response(api, version, plain(api, version, "Response", **answered), corr=corr)),
    ]


def produce(version: int, records: bytes) -> list[Message]:
    topics = [{"Name": "orders", "PartitionData": [{"Index": 2, "Records": records}]}]
    return pair(0, version, {"Acks": -1, "TopicData": topics}, {})


def fetch(version: int, records: bytes) -> list[Message]:
    topics = [{"Topic": "orders", "Partitions": [{"PartitionIndex": 2, "Records": records}]}]
    return pair(1, version, {"ReplicaId": -1}, {"Responses": topics})


def old_tokens(first: bytes, last: bytes) -> list[Message]:
    """SaslHandshake version 0, after which tokens have no header; then a request."""
    return [
        *pair(HANDSHAKE, 0, {"Mechanism": "SCRAM-SHA-512"}, {}),
        (ASK, framed(first)),
        (ANSWER, framed(b"r=" + SECRET + b",s=" + SECRET + b",i=4096")),
        (ASK, framed(last)),
        (ANSWER, framed(b"v=" + SECRET)),
        *pair(3, 1, {}, {}, corr=7),
    ]


def _settings(name: str) -> list[dict[str, Any]]:
    return [{"ResourceType": 4, "ResourceName": "1", name: [{"Name": "sasl.jaas.config", "Value": PASSWORD}]}]


_TOKEN = {"TokenId": MARK, "Hmac": SECRET}
_SALTED = {"Name": "alice", "Mechanism": 1, "Iterations": 4096, "Salt": SECRET, "SaltedPassword": SECRET}

TALKS: dict[str, list[Message]] = {
    "PLAIN": pair(AUTHENTICATE, 2, {"AuthBytes": b"\0alice\0" + SECRET}, {"AuthBytes": SECRET}),
    "PLAIN with a short name": old_tokens(b"\0A\0b" + SECRET, b"\0a\0" + SECRET),
    "SCRAM": pair(AUTHENTICATE, 1, {"AuthBytes": b"n,,n=alice,r=" + SECRET}, {"AuthBytes": b"r=x,s=" + SECRET}),
    "SCRAM without headers": old_tokens(b"n,,n=alice,r=" + SECRET, b"c=biws,r=x,p=" + SECRET),
    "a token that looks like a request": old_tokens(struct.pack(">hhih", 3, 1, 1, 0) + SECRET, b"x" + SECRET),
    "a token without a handshake": [(ASK, framed(b"\0alice\0" + SECRET)), (ANSWER, framed(SECRET))],
    "a new delegation token": pair(CREATE_TOKEN, 3, {}, _TOKEN),
    "a delegation token that is renewed": pair(RENEW_TOKEN, 2, {"Hmac": SECRET}, {}),
    "a delegation token that expires": pair(EXPIRE_TOKEN, 1, {"Hmac": SECRET}, {}),
    "delegation tokens that are listed": pair(DESCRIBE_TOKEN, 3, {}, {"Tokens": [_TOKEN]}),
    "a password of SCRAM": pair(ALTER_SCRAM, 0, {"Upsertions": [_SALTED]}, {}),
    "a password in a setting": pair(ALTER_CONFIGS, 2, {"Resources": _settings("Configs")}, {}),
    "a password in an added setting": pair(INCREMENTAL, 1, {"Resources": _settings("Configs")}, {}),
    "settings that are listed": pair(DESCRIBE_CONFIGS, 4, {}, {"Results": _settings("Configs")}),
    "settings of a topic": pair(
        CREATE_TOPICS, 5, {"Topics": [{"Name": "orders", "Configs": [{"Name": "x", "Value": PASSWORD}]}]}, {}
    ),
    "a text beside an offset": pair(
        COMMIT,
        8,
        {"Topics": [{"Name": "orders", "Partitions": [{"CommittedMetadata": MARK}]}], "GroupId": "shippers"},
        {},
    ),
    "a request that is no longer known": [(ASK, framed(b"\0\x03\0\x63\0\0\0\x05" + SECRET))],
    "bytes that are not Kafka": [(ASK, b"GET / HTTP/1.1\r\nAuthorization: Bearer " + SECRET), (ANSWER, SECRET * 9)],
    "records": produce(9, batch() * 3),
    "records of the first format": produce(2, message(0) + message(0)),
    "records of the second format": produce(2, message(1) * 2),
    "records of an unknown format": produce(9, b"\0" * 16 + b"\x07" + SECRET),
    "records that were cut off": fetch(11, (batch() * 2)[:-20]),
    "records that do not fit": fetch(4, struct.pack(">qi", 0, 1) + SECRET * 4),
}


def packets_of(said: Iterable[Message], size: int = 1448) -> list[Packet]:
    """Return a connection with its beginning and its end."""
    talk = Talk().open()
    for side, data in said:
        (talk.ask if side == ASK else talk.answer)(data, size)
    return talk.close().packets


def marked(items: tuple[Item, ...]) -> Body:
    """Return a body in which every field has a value, and all bytes, records and texts of applications are marked."""
    return {item.name: [_marked(item)] if item.array else _marked(item) for item in items}


def _marked(item: Item) -> Any:
    if item.type == "struct":
        return marked(item.items)
    values: dict[str, Any] = {
        "string": MARK if item.name in {"Value", "TokenId", "CommittedMetadata", "Metadata"} else "orders",
        "bytes": b"" if "Metadata" in item.name or "Assignment" in item.name else SECRET,
        "records": batch(),
        "uuid": bytes(range(16)),
        "bool": True,
    }
    return values.get(item.type, 1)
