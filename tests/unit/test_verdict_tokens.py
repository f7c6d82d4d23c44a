"""Tokens that the token server does not give: hits, outcomes, and how the application learned the reason."""

from __future__ import annotations

import pytest

from probe.model import AppKind, EngineKind, LearnedBy, Outcome, Verdict
from tests.support.transcript import OLD
from tests.support.transcript_steps import Step, acked, app, at, closed, engine, fault_on, healed, opened, watch
from tests.unit.test_verdict_refusals import expected_of, fails, logs_in, refused, verdict

AWAY = expected_of("auth/token-server-away")
END = watch(60_000)
NO_TOKEN = engine(EngineKind.TOKEN_REFUSED, value=1, text="503 temporarily_unavailable")


def meanwhile(*steps: Step) -> Verdict:
    """The verdict on a client that gets no token, whose session ends, and that works once there are tokens again."""
    during = (fault_on(), acked(30, OLD), NO_TOKEN, *steps, at(10_000), closed(by="broker"), at(12_000), NO_TOKEN)
    return verdict(*during, at(30_000), healed(), at(31_000), opened(OLD), logs_in(), acked(20, OLD), END, play=AWAY)


@pytest.mark.parametrize(
    ("step", "learned_by", "outcome"),
    [
        (app(AppKind.NOTICE, text="_AUTHENTICATION: Failed to acquire a token: 503"), LearnedBy.NOTICE, Outcome.RIDES),
        (app(AppKind.NOTICE, text="Unable connect to node: HTTP Error 503"), LearnedBy.NOTICE, Outcome.RIDES),
        (app(AppKind.NOTICE, text="all brokers are down"), LearnedBy.NOTHING, Outcome.RIDES),
        (fails("the token server answers 503"), LearnedBy.ERROR, Outcome.SURFACES),
        (fails("EOF"), LearnedBy.NOTHING, Outcome.SURFACES),
    ],
)
def test_the_reason_why_there_is_no_token(step: Step, learned_by: LearnedBy, outcome: Outcome) -> None:
    found = meanwhile(step)
    assert (found.outcome, found.conforms, found.facts.reason_by) == (outcome, True, learned_by)
    assert found.facts.fault_hits == 3  # two refused tokens, and the end of the session
    assert "refused tokens (3 hits)" in found.reason


def test_the_reason_counts_from_the_first_refused_token() -> None:
    found = meanwhile(at(5000), app(AppKind.NOTICE, text="no token"))
    assert found.facts.reason_ms == pytest.approx(2000, abs=50)


def test_a_log_in_with_a_token_that_is_over_has_the_brokers_code() -> None:
    found = meanwhile(closed(by="client"), refused(), opened(OLD))
    assert found.facts.fault_codes == (58,)
    assert "SASL_AUTHENTICATION_FAILED 58" in found.reason


def test_a_refusal_that_is_not_the_faults_is_no_hit() -> None:
    wrong = engine(EngineKind.TOKEN_REFUSED, text="401 invalid_client")
    found = verdict(fault_on(), wrong, acked(30, OLD), END, play=AWAY)
    assert (found.facts.fault_hits, found.facts.reason_by) == (0, LearnedBy.NONE)


def test_a_client_that_does_not_come_back_is_stuck() -> None:
    steps = (fault_on(), acked(30, OLD), NO_TOKEN, at(10_000), closed(by="broker"), at(30_000), healed(), END)
    assert verdict(*steps, play=AWAY).outcome is Outcome.STUCK
