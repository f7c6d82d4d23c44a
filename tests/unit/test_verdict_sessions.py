"""Sessions that end while the application works: again on the connection, on a new one, cut, or refused."""

from __future__ import annotations

import pytest

from probe.model import LearnedBy, Outcome
from probe.protocol.apis import SASL_HANDSHAKE
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, PRODUCE, THIRD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    at,
    call,
    closed,
    fault_on,
    opened,
    row,
    watch,
)
from tests.unit.test_verdict_refusals import expected_of, fails, logs_in, verdict

SESSION = expected_of("auth/session-expires")
SESSIONS_END = watch(21_200)


def served(seconds: int = 20, every_s: int = 5, between: Step | None = None) -> tuple[Step, ...]:
    """A client that works for four sessions; `between` is what happens at the end of each."""
    steps: list[Step] = [fault_on()]
    for begin in range(0, seconds, every_s):
        steps += [acked(every_s * 10 - 2, OLD), *([between] if between else []), at((begin + every_s) * 1000)]
    return *steps, acked(10, OLD), SESSIONS_END


def test_a_log_in_on_the_open_connection_is_no_hit() -> None:
    """Java, librdkafka, sarama, franz-go, kafka-python: again on the open connection, in time."""

    def again(script: Script) -> None:
        logs_in(api=SASL_HANDSHAKE)(script)
        logs_in()(script)

    found = verdict(*served(between=again), play=SESSION)
    assert (found.outcome, found.conforms, found.facts.fault_hits, found.facts.reason_by) == (
        Outcome.CLEAN,
        True,
        0,
        LearnedBy.NONE,
    )


def test_a_new_connection_before_the_end_is_no_hit() -> None:
    """krafka: it replaces the connection itself."""

    def replaced(script: Script) -> None:
        closed(by="client")(script)
        script.reopen(OLD)
        logs_in()(script)

    found = verdict(*served(between=replaced), play=SESSION)
    assert (found.outcome, found.facts.fault_hits) == (Outcome.CLEAN, 0)


@pytest.mark.parametrize("broker", [OLD, THIRD])
def test_a_connection_that_any_broker_ends_is_a_hit(broker: int) -> None:
    """kafka-go, aiokafka, rskafka: cut at the first request after the session, and their own retry delivers."""

    def cut(script: Script) -> None:
        script.reopen(broker)
        logs_in(broker)(script)
        call(PRODUCE, broker, row(size=80), answer=None)(script)
        closed(broker, by="broker")(script)

    found = verdict(*served(between=cut), play=SESSION)
    assert (found.outcome, found.facts.fault_hits, found.facts.failed_ops) == (Outcome.CLEAN, 4, 0)
    assert found.facts.reason_by is LearnedBy.NONE  # no log-in was refused


def test_a_second_log_in_within_a_second_is_refused() -> None:
    """KafkaJS with a session below its threshold: 34, the end of the connection, and a failed write."""

    def too_soon(script: Script) -> None:
        logs_in(code=34, api=SASL_HANDSHAKE)(script)
        closed(by="broker")(script)
        fails("Request is not valid given the current SASL state", 34, "KafkaJSNonRetriableError")(script)

    found = verdict(*served(between=too_soon), play=SESSION)
    assert (found.outcome, found.conforms) == (Outcome.SURFACES, False)
    assert (found.facts.reason_by, found.facts.fault_codes) == (LearnedBy.ERROR, (34,))


def test_a_broker_that_ends_a_connection_elsewhere_is_no_hit_of_other_scenarios() -> None:
    """Only the failing broker's cuts are hits where the scenario is not about log-ins."""
    found = judge(history(fault_on(), opened(NEW), closed(NEW, by="broker"), acked(30, OLD), watch(10_000)))
    assert found.facts.fault_hits == 0
