"""Log-ins and permissions that are refused: hits, outcomes, and how the application learned the reason."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import select_scenarios
from probe.model import AppKind, ClientError, Expectation, LearnedBy, Outcome, Role, Verdict
from probe.protocol.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import BYSTANDER, OLD, PRODUCE, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    app,
    at,
    call,
    closed,
    failed,
    fault_on,
    healed,
    opened,
    row,
    wait,
    watch,
)

REFUSED_58 = "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512"
END = watch(50_000)


def expected_of(scenario: str, role: Role = Role.PRODUCER) -> Expectation:
    (found,) = select_scenarios([scenario])
    return next(item.expectation for item in found.variants if role in item.roles)


ROTATED, OFF, REVOKED = map(expected_of, ("auth/password-rotated", "auth/mechanism-off", "auth/revoked"))


def logs_in(broker: int = OLD, code: int = 0, api: int = SASL_AUTHENTICATE) -> Step:
    return call(api, broker, answer=(), code=code)


def refused(broker: int = OLD, code: int = 58) -> Step:
    """A new connection, a refused log-in, and the end of the connection."""

    def step(script: Script) -> None:
        script.reopen(broker)
        logs_in(broker, code, SASL_HANDSHAKE if code == 33 else SASL_AUTHENTICATE)(script)
        closed(broker, by="broker")(script)

    return step


def fails(text: str, code: int = -1, type_: str = "Error") -> Step:
    """A write that fails without reaching a broker."""

    def step(script: Script) -> None:
        number = script.next_sequence(0)
        script.app(AppKind.SENT, partition=0, sequence=number)
        error = ClientError(code, "SASL_AUTHENTICATION_FAILED" if code == 58 else "", type_, text)
        script.app(AppKind.SEND_ERROR, partition=0, sequence=number, error=error)

    return step


def verdict(*steps: Step, play: Expectation = ROTATED) -> Verdict:
    return judge(history(*steps, play=play, bystander=False))


def during(*steps: Step, code: int = 58, play: Expectation = ROTATED) -> Verdict:
    """The verdict on a client that is cut at the fault, refused twice, and works once log-ins are accepted again."""
    refusals = (fault_on(), closed(), refused(code=code), *steps, at(10_000), refused(code=code))
    mended = (at(20_000), healed(), at(21_000), opened(OLD), logs_in(), acked(20, OLD), END)
    return verdict(*refusals, *mended, play=play)


# log-ins that are refused


def test_a_client_that_only_logs_the_reason_rides_with_a_notice() -> None:
    """Java and aiokafka: the record waits, and a line of the log has the reason."""
    found = during(app(AppKind.NOTICE, text=f"ERROR NetworkClient {REFUSED_58}"))
    assert (found.outcome, found.conforms) == (Outcome.RIDES, True)
    assert found.facts.reason_by is LearnedBy.NOTICE
    assert found.facts.reason_ms == pytest.approx(2, abs=3)
    assert 58 in found.facts.fault_codes


def test_a_callback_of_the_whole_client_is_a_notice() -> None:
    """librdkafka's error_cb: first that all brokers are down, which names no reason, later _AUTHENTICATION."""
    down = ClientError(-187, "", "_ALL_BROKERS_DOWN", "3/3 brokers are down")
    reason = ClientError(-169, "", "_AUTHENTICATION", "SASL authentication error")
    found = during(
        app(AppKind.NOTICE, text=down.type), wait(900), app(AppKind.NOTICE, text=f"{reason.type}: {reason.text}")
    )
    assert (found.outcome, found.facts.reason_by) == (Outcome.RIDES, LearnedBy.NOTICE)
    assert found.facts.reason_ms == pytest.approx(900, abs=10)


def test_a_client_whose_operations_fail_with_the_reason_has_an_error() -> None:
    """kafka-go and KafkaJS: each write fails at once. The error counts, though a line of the log came first."""
    first = app(AppKind.NOTICE, text=REFUSED_58)
    found = during(first, wait(400), fails("[58] SASL Authentication Failed", 58))
    assert (found.outcome, found.conforms, found.facts.failed_ops) == (Outcome.SURFACES, True, 1)
    assert found.facts.reason_by is LearnedBy.ERROR
    assert found.facts.reason_ms == pytest.approx(400, abs=10)


def test_an_error_that_names_no_reason_is_none() -> None:
    """sarama: "EOF" first, and while its circuit breaker is open nothing else."""
    found = during(fails("EOF"), wait(500), fails("circuit breaker is open"))
    assert (found.outcome, found.facts.failed_ops) == (Outcome.SURFACES, 2)
    assert (found.facts.reason_by, found.facts.reason_ms) == (LearnedBy.NOTHING, None)


def test_the_list_of_mechanisms_is_a_reason() -> None:
    text = "Client SASL mechanism 'SCRAM-SHA-512' not enabled in the server, enabled mechanisms are [PLAIN]"
    found = during(app(AppKind.NOTICE, text=text), code=33, play=OFF)
    assert (found.facts.reason_by, found.facts.fault_codes) == (LearnedBy.NOTICE, (33,))


def test_a_refusal_of_bare_tokens_has_no_code() -> None:
    """SaslHandshake v0: the broker ends the connection without a word, so nobody can learn more."""

    def without_code(script: Script) -> None:
        script.reopen(OLD)
        logs_in(api=SASL_HANDSHAKE)(script)
        closed(by="broker")(script)

    steps = (fault_on(), closed(), without_code, at(20_000), healed(), at(21_000), acked(20, OLD), END)
    found = verdict(*steps)
    assert (found.outcome, found.facts.reason_by) == (Outcome.RIDES, LearnedBy.NOTHING)
    assert found.facts.fault_codes == ()


def test_a_client_that_never_tries_again_was_refused_nothing() -> None:
    found = verdict(fault_on(), closed(), at(20_000), healed(), END)
    assert (found.outcome, found.conforms, found.facts.reason_by) == (Outcome.STUCK, False, LearnedBy.NONE)


def test_a_client_that_does_not_come_back_is_stuck_whatever_it_says() -> None:
    """Reported of confluent-kafka-python (issue 1485): the password is right again, and the client stays away."""
    steps = (fault_on(), closed(), refused(), app(AppKind.NOTICE, text=REFUSED_58), at(20_000), healed(), END)
    found = verdict(*steps)
    assert (found.outcome, found.conforms, found.facts.reason_by) == (Outcome.STUCK, False, LearnedBy.NOTICE)


def test_a_start_that_ends_with_the_reason_conforms() -> None:
    play = expected_of("auth/wrong-password")
    end = app(AppKind.FATAL, text=f"KafkaJSNonRetriableError: {REFUSED_58}")
    found = verdict(fault_on(), closed(), refused(), wait(300), end, watch(2000), play=play)
    assert (found.outcome, found.conforms, found.facts.reason_by) == (Outcome.FATAL, True, LearnedBy.ERROR)
    assert ROTATED.conforms != play.conforms


def test_nothing_is_learned_where_nothing_is_refused() -> None:
    found = judge(history(fault_on(), closed(), acked(30), watch(10_000)))
    assert (found.facts.reason_by, found.facts.reason_ms) == (LearnedBy.NONE, None)


# permissions


def test_a_revoked_permission_surfaces_with_its_code() -> None:
    steps = (fault_on(), failed(5, code=29), at(20_000), healed(), at(20_500), acked(20, OLD), END)
    found = verdict(*steps, play=REVOKED)
    assert (found.outcome, found.conforms, found.facts.first_error) == (
        Outcome.SURFACES,
        True,
        "TOPIC_AUTHORIZATION_FAILED",
    )
    assert found.facts.reason_by is LearnedBy.ERROR
    assert found.facts.reason_ms == pytest.approx(0, abs=5)


def test_a_refusal_of_the_other_partition_is_about_the_topic() -> None:
    """kafka-python 3.0.12 gives up at the first refusal, which may name the bystander partition."""

    def refused_beside(script: Script) -> None:
        script.answer(script.request(PRODUCE, OLD, row(BYSTANDER, size=80)), row(BYSTANDER, code=29))

    found = verdict(fault_on(), refused_beside, fails("[Error 29]", 29), at(20_000), healed(), END, play=REVOKED)
    assert (found.outcome, found.facts.fault_hits, found.facts.fault_codes) == (Outcome.STUCK, 1, (29,))
