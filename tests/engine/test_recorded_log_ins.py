"""The fake brokers answer log-ins as a recorded broker of 4.4.0 did: the same bytes of six libraries at the same times.

The captures are those of tests/unit/test_diagnose_real_log_ins.py: PLAIN, right and wrong passwords, sessions of 5 s.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from probe.access import Access
from probe.cli.wiring.composition import embedded_engine
from probe.model.security import Security
from probe.ports import discard
from probe.protocol.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from tests.support.recorded_log_ins import Answers, Recorded, recorded, replayed

FOLDER = Path(__file__).resolve().parents[1] / "data" / "log_ins"
USER, PASSWORD = "shop", "right"  # of the recorded broker, which is gone
SESSION_MS = 5000
PORTS = {False: 19192, True: 19193}
"""Ports of the recorded broker, without sessions and with them."""
NAMES = {
    False: ("java-right", "sarama-right", "java-wrong", "sarama-wrong", "franz-go-wrong", "kafkajs-wrong"),
    True: ("aiokafka-session", "franz-go-session", "kafka-python-session", "kafkajs-session"),
}


LATER = (-1, 1, 2)
"""Requests, one each 0.2 s, by which a session ends earlier or later on a busy machine."""


def is_let_in(seen: Answers) -> bool:
    """Return whether the broker took every log-in of a connection."""
    return not any(code for _, code, _ in seen.log_ins)


def is_session_over(seen: Answers) -> bool:
    """Return whether the broker ended the connection of a client that it had let in."""
    return seen.cut and is_let_in(seen)


async def played(*, sessions: bool) -> list[tuple[str, Answers, Answers]]:
    """Return capture, recorded and replayed answers of every connection."""
    access = Access(
        security=Security.parse("SASL_PLAINTEXT/PLAIN"),
        user=USER,
        password=PASSWORD,
        session_ms=SESSION_MS if sessions else 0,
    )
    found: list[tuple[str, Recorded]] = [
        (name, one) for name in NAMES[sessions] for one in recorded(FOLDER / f"{name}.pcap.gz", PORTS[sessions])
    ]
    async with embedded_engine().cluster("4.4", discard, access) as (cluster, relay):
        address = relay.address(min(cluster.nodes))
        answers = await asyncio.gather(*(replayed(one, address) for _, one in found))
    return [(name, one.answers(), answer) for (name, one), answer in zip(found, answers, strict=True)]


@pytest.mark.parametrize("sessions", [False, True], ids=["passwords", "sessions"])
def test_log_ins_are_answered_as_by_a_recorded_broker(sessions: bool) -> None:
    compared = asyncio.run(played(sessions=sessions))
    assert {name for name, _, _ in compared} == set(NAMES[sessions])
    for name, real, fake in compared:
        assert fake.log_ins == real.log_ins, name
        later = fake.answered - real.answered
        assert later == 0 or (is_session_over(real) and later in LATER), name
        if real.cut or is_let_in(real):  # who is refused may leave before the broker ends the connection
            assert fake.cut == real.cut, name


def test_the_recordings_hold_what_is_compared() -> None:
    """Refusals (58, 34), lifetimes, log-ins on open connections, and connections that end with their session."""
    every = [
        one.answers() for sessions, names in NAMES.items() for name in names
        for one in recorded(FOLDER / f"{name}.pcap.gz", PORTS[sessions])
    ]  # fmt: skip
    answers = {answer for one in every for answer in one.log_ins}
    assert {(SASL_HANDSHAKE, 0, False), (SASL_HANDSHAKE, 34, False)} <= answers
    assert {(SASL_AUTHENTICATE, code, granted) for code, granted in ((0, False), (0, True), (58, False))} <= answers
    assert sum(map(is_session_over, every)) == 3
    assert sum(len(one.log_ins) > 2 and is_let_in(one) for one in every) >= 2
