"""Tokens that the token server does not give: hits, outcomes, and how the application learned the reason."""

from __future__ import annotations

import pytest

from probe.model import AppKind, EngineKind, LearnedBy, Outcome, Verdict
from probe.protocol.apis import METADATA
from tests.support.transcript import OLD
from tests.support.transcript_steps import (
    Step,
    acked,
    app,
    at,
    call,
    closed,
    engine,
    fault_on,
    healed,
    opened,
    row,
    watch,
)
from tests.unit.test_verdict_refusals import expected_of, fails, logs_in, refused, verdict

AWAY, ONCE = map(expected_of, ("auth/token-server-away", "auth/token-refused"))
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


def once(*steps: Step) -> Verdict:
    """The verdict on a client that is cut, whose next token is refused, and what it does then."""
    return verdict(fault_on(), closed(), refused(), *steps, watch(30_000), play=ONCE)


def test_a_token_that_is_refused_once_is_one_hit_beside_the_cut() -> None:
    back = (at(2000), opened(OLD), logs_in(), acked(10, OLD), at(5000), healed(), acked(20, OLD))
    found = once(app(AppKind.NOTICE, text="SASL_AUTHENTICATION_FAILED"), *back)
    assert (found.outcome, found.conforms) == (Outcome.RIDES, True)
    assert (found.facts.fault_codes, found.facts.reason_by) == ((58,), LearnedBy.NOTICE)


def test_a_client_that_one_refused_token_ends_does_not_conform() -> None:
    found = once(app(AppKind.FATAL, text="KafkaJSNonRetriableError"), at(5000), healed())
    assert (found.outcome, found.conforms) == (Outcome.FATAL, False)


def test_a_client_that_takes_the_refusal_for_a_success_meets_34() -> None:
    goes_on = (opened(OLD), call(METADATA, OLD, row(), answer=(row(code=34),)), closed(by="broker"))
    back = (at(2000), opened(OLD), logs_in(), acked(10, OLD), at(5000), healed(), acked(20, OLD))
    found = verdict(fault_on(), closed(), *goes_on, *back, watch(30_000), play=ONCE)
    assert (found.outcome, found.facts.fault_codes) == (Outcome.RIDES, (34,))
