"""TLS handshakes that fail: hits, outcomes, and how the application learned the reason."""

from __future__ import annotations

import pytest

from probe.model import AppKind, Closed, EngineKind, LearnedBy, Opened, Outcome, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import OLD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    app,
    at,
    closed,
    engine,
    fault_on,
    healed,
    opened,
    watch,
)
from tests.unit.test_verdict_refusals import END, expected_of, fails, verdict

SPOILED = expected_of("tls/certificate-expired")


def bad_handshake(script: Script) -> None:
    """A new connection whose handshake fails: the client refuses the certificate and ends the connection."""
    connections = sum(isinstance(event, Opened) for event in script.events) + 1
    script.add(Opened(at=script.now, conn=connections, broker=OLD))
    why = "sslv3 alert certificate unknown"
    engine(EngineKind.HANDSHAKE_FAILED, broker=OLD, value=1, text=why, conn=connections)(script)
    script.add(Closed(at=script.now, conn=connections, broker=OLD, by="client"))


def meanwhile(*steps: Step) -> Verdict:
    """The verdict on a client that is cut, meets a bad certificate twice, and works once it is mended."""
    failing = (fault_on(), closed(), bad_handshake, *steps, at(10_000), bad_handshake)
    return verdict(*failing, at(20_000), healed(), at(21_000), acked(20, OLD), END, play=SPOILED)


@pytest.mark.parametrize(
    ("step", "learned_by", "outcome"),
    [
        (app(AppKind.NOTICE, text="_SSL: certificate verify failed"), LearnedBy.NOTICE, Outcome.RIDES),
        (app(AppKind.NOTICE, text="all brokers are down"), LearnedBy.NOTHING, Outcome.RIDES),
        (fails("x509: certificate has expired or is not yet valid"), LearnedBy.ERROR, Outcome.SURFACES),
        (fails("Hostname/IP does not match certificate's altnames"), LearnedBy.ERROR, Outcome.SURFACES),
        (fails("EOF"), LearnedBy.NOTHING, Outcome.SURFACES),
    ],
)
def test_the_reason_of_a_handshake_that_fails(step: Step, learned_by: LearnedBy, outcome: Outcome) -> None:
    found = meanwhile(step)
    assert (found.outcome, found.conforms, found.facts.reason_by) == (outcome, True, learned_by)
    assert found.facts.fault_hits == 3  # the cut and two handshakes, which the client ended
    assert "failed TLS handshakes (3 hits)" in found.reason


def test_a_client_that_goes_on_writing_checked_nothing() -> None:
    """A certificate of another host is accepted: only the cut is met."""
    found = verdict(fault_on(), closed(), opened(OLD), acked(40, OLD), END, play=SPOILED)
    assert (found.facts.fault_hits, found.facts.reason_by) == (1, LearnedBy.NONE)


def test_a_handshake_that_the_listener_ends_is_one_hit() -> None:
    def hung_up(script: Script) -> None:
        script.reopen(OLD)
        conn = script.connections[OLD]
        engine(EngineKind.HANDSHAKE_FAILED, broker=OLD, value=1, conn=conn)(script)
        closed(by="relay")(script)

    steps = (fault_on(), closed(), hung_up, at(20_000), healed(), at(21_000), acked(20, OLD), END)
    assert verdict(*steps, play=SPOILED).facts.fault_hits == 2


def test_a_handshake_that_fails_by_chance_is_no_hit() -> None:
    def by_chance(script: Script) -> None:
        engine(EngineKind.HANDSHAKE_FAILED, broker=OLD, conn=1, text="the connection was lost")(script)

    found = judge(history(fault_on(), by_chance, acked(30), watch(10_000)))
    assert (found.facts.fault_hits, found.facts.reason_by) == (0, LearnedBy.NONE)
