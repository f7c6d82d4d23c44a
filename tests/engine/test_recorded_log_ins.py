"""The fake brokers answer log-ins as a recorded broker of 4.4.0 did: the same bytes of seven libraries, at their times.

PLAIN: the captures of tests/unit/test_diagnose_real_log_ins.py. SCRAM-SHA-512 and OAUTHBEARER: producers of `probe run
--engine kafka --broker 4.4 --capture`, `steady` and `auth/session-expires`, the first twelve seconds; what they send to
log in is blank there, and is made anew. Each with right and wrong passwords or tokens, and with sessions of 5 s.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from probe.access import Access
from probe.cli.wiring.composition import embedded_engine
from probe.model.security import Security
from probe.ports import discard
from probe.protocol.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from probe.run_credentials import MARK
from probe.token_issuer import new_issuer
from tests.support.log_in_messages import LogIn, bearer, scram_sha_512
from tests.support.recorded_log_ins import Answers, Recorded, frames, recorded, replayed

FOLDER = Path(__file__).resolve().parents[1] / "data" / "log_ins"
USER, PASSWORD = "shop", "right"  # of the recorded broker, which is gone
SESSION_MS, TOKEN_S = 5000, 300
MECHANISMS = {"scram": "SCRAM-SHA-512", "token": "OAUTHBEARER"}
PORTS = {False: 19192, True: 19193}
"""Ports of the recorded broker, without sessions and with them."""
NAMES = {
    False: ("java-right", "sarama-right", "java-wrong", "sarama-wrong", "franz-go-wrong", "kafkajs-wrong"),
    True: ("aiokafka-session", "franz-go-session", "kafka-python-session", "kafkajs-session"),
}

BLANK = Path(__file__).resolve().parents[1] / "data" / "blank_log_ins"
EVERY = ("aiokafka", "franz-go", "java", "kafka-python", "librdkafka", "sarama")
WRONG, NOT_RECORDED = "-wrong.pcapng.gz", "aiokafka-token-wrong.pcapng.gz"
LATER = (-1, 1, 2)
"""Requests, one each 0.2 s, by which a session ends earlier or later on a busy machine."""


def blank(mechanism: str, *, sessions: bool) -> list[Path]:
    """Return the captures of a mechanism, `scram` or `token`."""
    kinds = ("session",) if sessions else ("right", "wrong")
    names = (f"{family}-{mechanism}-{kind}.pcapng.gz" for family in EVERY for kind in kinds)
    return [BLANK / name for name in names if name != NOT_RECORDED]


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


def log_in(access: Access, *, wrong: bool) -> LogIn:
    """Return what a client sends instead of what is blank."""
    if access.issuer is None:
        return scram_sha_512(USER, "wrong" if wrong else PASSWORD)
    issuer = new_issuer(MARK) if wrong else access.issuer
    return bearer(lambda: issuer.token(USER, int(time.time()), TOKEN_S))


async def played_anew(mechanism: str, *, sessions: bool) -> list[tuple[str, Answers, Answers]]:
    """Return capture, recorded and replayed answers of every connection with blank log-ins that has all its answers."""
    access = Access(
        security=Security.parse(f"SASL_PLAINTEXT/{MECHANISMS[mechanism]}"),
        user=USER,
        password=PASSWORD,
        issuer=new_issuer(MARK) if mechanism == "token" else None,
        session_ms=SESSION_MS if sessions else 0,
    )
    found = [(path.name, one) for path in blank(mechanism, sessions=sessions) for one in recorded(path) if not one.left]
    async with embedded_engine().cluster("4.4", discard, access) as (cluster, relay):
        address = relay.address(min(cluster.nodes))
        own = {wrong: log_in(access, wrong=wrong) for wrong in (False, True)}
        answers = await asyncio.gather(*(replayed(one, address, own[name.endswith(WRONG)]) for name, one in found))
    return [(name, one.answers(), answer) for (name, one), answer in zip(found, answers, strict=True)]


def compare(name: str, real: Answers, fake: Answers) -> None:
    """Fail where a connection is answered otherwise than it was."""
    assert fake.log_ins == real.log_ins, name
    later = fake.answered - real.answered
    assert later == 0 or (is_session_over(real) and later in LATER), name
    if real.cut or is_let_in(real):  # who is refused may leave before the broker ends the connection
        assert fake.cut == real.cut, name


@pytest.mark.parametrize("sessions", [False, True], ids=["passwords", "sessions"])
def test_log_ins_are_answered_as_by_a_recorded_broker(sessions: bool) -> None:
    compared = asyncio.run(played(sessions=sessions))
    assert {name for name, _, _ in compared} == set(NAMES[sessions])
    for name, real, fake in compared:
        compare(name, real, fake)


@pytest.mark.parametrize("sessions", [False, True], ids=["once", "sessions"])
@pytest.mark.parametrize("mechanism", ["scram", "token"])
def test_log_ins_that_are_made_anew_are_answered_as_by_a_recorded_broker(mechanism: str, sessions: bool) -> None:
    compared = asyncio.run(played_anew(mechanism, sessions=sessions))
    assert {name for name, _, _ in compared} == {path.name for path in blank(mechanism, sessions=sessions)}
    for name, real, fake in compared:
        compare(name, real, fake)


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


def test_the_blank_recordings_hold_what_is_compared() -> None:
    """Blank log-ins, of which the second and third of a connection renew its session; refusals; sessions that end."""
    names = [
        path for mechanism in MECHANISMS for sessions in (False, True) for path in blank(mechanism, sessions=sessions)
    ]
    assert sorted(names) == sorted(BLANK.iterdir())
    every = [one for path in names for one in recorded(path)]
    sent = [frame for one in every for frame in frames(one.asked) if frame[:2] == SASL_AUTHENTICATE.to_bytes(2)]
    assert len(sent) == 434
    assert all(b"n,," not in frame and b"r=" not in frame and b"auth" not in frame for frame in sent)
    answers = [one.answers() for one in every]
    renewed = [sum(api == SASL_HANDSHAKE for api, _, _ in one.log_ins) for one in answers]
    assert (sum(renewed), sum(count == 3 for count in renewed)) == (249, 14)
    assert sum(map(is_session_over, answers)) == 5
    assert sum((SASL_AUTHENTICATE, 58, False) in one.log_ins for one in answers) == 118
