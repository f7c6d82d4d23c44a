"""The schedule of a fault: which steps must be injected, and when. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from probe.scenarios.steps.brokers import NOW, Evacuate, HangBroker, Resign, ReturnBroker, StopBroker
from probe.scenarios.steps.real_brokers import Meanwhile
from probe.scenarios.steps.step import Step

Timed = StopBroker | HangBroker | ReturnBroker | Evacuate


def later(steps: Sequence[Step], election_ms: int, session_ms: int) -> list[tuple[int, Timed]]:
    """Return the later steps in order of time, without those that follow from other steps on real brokers.

    All times count from the fault: first hits do not matter here, as real elections have no set duration.
    """
    found = [
        (step.when.due_ms(election_ms), step)
        for step in steps
        if isinstance(step, Timed) and step.when != NOW and is_ours(step, steps, election_ms, session_ms)
    ]
    return sorted(found, key=lambda item: item[0])


def is_ours(step: Step, steps: Sequence[Step], election_ms: int, session_ms: int) -> bool:
    """Return whether a step must be injected, because it does not follow from another one.

    A broker in controlled shutdown moves its leaders away and then ends. The controller moves the leaders of a broker
    that is gone or has been silent for a whole session.
    """
    if isinstance(step, StopBroker):
        return step.listed or step.turn != 0 or not _has(steps, Resign)
    if not isinstance(step, Evacuate) or step.drop_replicas:
        return True
    if any(isinstance(other, StopBroker) and other.turn == step.turn for other in steps) or _has(steps, Resign):
        return False
    hung = any(isinstance(other, HangBroker) and other.turn == step.turn for other in steps)
    return not hung or step.when.due_ms(election_ms) < session_ms


def is_prelude(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether a step only prepares the fault: some time passes between it and the next one."""
    place = next((place for place, other in enumerate(steps) if other is step), 0)
    return any(isinstance(other, Meanwhile) for other in steps[place + 1 :])


def _has(steps: Sequence[Step], kind: type) -> bool:
    return any(isinstance(step, kind) for step in steps)
