"""Captures to libraries, by the fingerprints that ship: names that decide, and log-ins that change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from probe.cli.wiring.diagnosis import diagnose_files
from probe.diagnose.client_identity import Library
from probe.protocol import apis
from tests.support.packets import Talk, pcap, produce
from tests.support.protocol_wire import plain, request, response

Exchange = tuple[bytes, bytes]
Asks = Callable[[Sequence[Exchange]], Library]
ID = "orders-1"


@pytest.fixture
def library(tmp_path: Path) -> Asks:
    """Return what is said of a client that sends some requests on one connection."""

    def of(exchanges: Sequence[Exchange]) -> Library:
        talk = Talk().open()
        for asked, answered in exchanges:
            talk.ask(asked).answer(answered)
        path = tmp_path / "one.pcap"
        path.write_bytes(pcap(talk.close().packets))
        (client,) = diagnose_files([str(path)], lambda *_: None, 0).clients
        return client.library

    return of


def exchange(api: int, version: int, corr: int, answer: dict[str, object] | None = None, **given: object) -> Exchange:
    asked = request(api, version, plain(api, version, "Request", **given), corr=corr, client_id=ID)
    return asked, response(api, version, plain(api, version, "Response", **(answer or {})), corr=corr)


def versions(version: int, corr: int, name: str = "", number: str = "") -> Exchange:
    offered = [{"ApiKey": api, "MinVersion": 0, "MaxVersion": top} for api, top in ((0, 9), (3, 12), (22, 4), (18, 3))]
    own = {"ClientSoftwareName": name, "ClientSoftwareVersion": number} if version >= 3 else {}
    return exchange(apis.API_VERSIONS, version, corr, {"ApiKeys": offered}, **own)


def log_in(corr: int) -> list[Exchange]:
    """Return a log-in with PLAIN, as clients since 1.0 send it."""
    return [
        exchange(apis.SASL_HANDSHAKE, 1, corr, {"Mechanisms": ["PLAIN"]}, Mechanism="PLAIN"),
        exchange(apis.SASL_AUTHENTICATE, 2, corr + 1, {"SessionLifetimeMs": 5000}, AuthBytes=b"\0user\0wrong"),
    ]


def first_its_id(name: str, number: str, before: Sequence[Exchange] = ()) -> list[Exchange]:
    """Return a producer that was opened before its first record: it asks for its id before it knows a topic."""
    metadata = [{"Name": "orders", "TopicId": bytes(16)}]
    return [
        *before,
        versions(3, 1, name, number),
        exchange(apis.INIT_PRODUCER_ID, 4, 2, TransactionTimeoutMs=2**31 - 1, TransactionalId=None),
        exchange(apis.METADATA, 12, 3, Topics=metadata, AllowAutoTopicCreation=True),
        (produce(4), response(0, 9, plain(0, 9, "Response"), corr=4)),
    ]


def test_a_java_producer_that_asks_for_its_id_first_is_java(library: Asks) -> None:
    found = library(first_its_id("apache-kafka-java", "3.6.1"))
    assert (found.family, found.note) == ("java", "")


@pytest.mark.parametrize("name", ["rskafka", "krafka", "platformatic-kafka"])
def test_a_library_that_names_itself_has_its_name(library: Asks, name: str) -> None:
    assert library(first_its_id(name, "0.6.0")).family == name


def test_a_log_in_at_the_beginning_changes_nothing(library: Asks) -> None:
    without_log_in = first_its_id("", "")
    assert library([*log_in(10), *without_log_in]) == library(without_log_in)


def test_a_java_client_that_logs_in_asks_for_versions_twice(library: Asks) -> None:
    """It asks in version 0, logs in, and asks again in its own version, with its name (`SaslClientAuthenticator`)."""
    without_log_in = first_its_id("apache-kafka-java", "3.6.1")
    assert library([versions(0, 9), *log_in(10), *without_log_in]) == library(without_log_in)
