"""Real clients at a real broker (4.4.0, one KRaft node, SASL_PLAINTEXT with PLAIN, and TLS), recorded with tcpdump.

Each client wrote a record every 200 ms for ten to fifteen seconds. `right` and `wrong` is the password; `session` has
`connections.max.reauth.ms=5000`. kafka-clients 4.4.0, sarama 1.61.1, franz-go 1.22.3, kafka-python 3.0.12, aiokafka
0.14.0, KafkaJS 2.2.4.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.cli.wiring.diagnosis import diagnose_files
from probe.diagnose.findings import ClientFinding, Status

RECORDED = Path(__file__).resolve().parents[1] / "data" / "log_ins"


def diagnosed(name: str) -> ClientFinding:
    (client,) = diagnose_files([str(RECORDED / f"{name}.pcap.gz")], lambda *_: None, 0).clients
    return client


@pytest.mark.parametrize("name", ["java-right", "sarama-right", "kafka-python-session", "franz-go-session"])
def test_clients_that_log_in_are_known_and_work(name: str) -> None:
    client = diagnosed(name)
    assert name.startswith(client.library.family)
    assert client.status in {Status.HEALTHY, Status.RECOVERED}
    assert client.log_in is not None
    assert client.log_in.session_ms == (5000 if name.endswith("session") else 0)
    assert client.expired == 0


@pytest.mark.parametrize("name", ["java-wrong", "kafkajs-wrong", "sarama-wrong", "franz-go-wrong"])
def test_a_wrong_password_is_named(name: str) -> None:
    client = diagnosed(name)
    assert (client.status, client.reason) == (Status.REFUSED, "its log-in is refused with SASL_AUTHENTICATION_FAILED")
    assert client.library.family in {"", name.removesuffix("-wrong")}


def test_log_ins_that_come_too_early_are_named() -> None:
    """KafkaJS logs in before every request where a session is shorter than ten seconds."""
    client = diagnosed("kafkajs-session")
    assert (client.status, client.library.family) == (Status.REFUSED, "kafkajs")
    assert client.reason == "its log-in is refused with ILLEGAL_SASL_STATE, although it is let in between"


def test_sessions_that_end_are_named() -> None:
    """Aiokafka does not log in again on its connection."""
    client = diagnosed("aiokafka-session")
    assert (client.library.family, client.expired) == ("aiokafka", 3)
    assert client.status not in {Status.REFUSED, Status.STUCK}


@pytest.mark.parametrize(("name", "client_id"), [("java-plaintext-at-tls", "java-1"), ("java-tls-at-plaintext", "")])
def test_tls_against_plaintext_is_named(name: str, client_id: str) -> None:
    client = diagnosed(name)
    assert (client.status, client.key.client_id) == (Status.MISMATCH, client_id)
    assert len(client.findings) == 1
