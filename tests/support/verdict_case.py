"""The beginning of most cases of the verdict: the leader moves, the client asks, and the trial is judged."""

from __future__ import annotations

from probe.catalogue.scenarios import default_scenarios
from probe.model import Expectation, Facts, Role, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import NEW, STORAGE_ERROR
from tests.support.transcript_steps import Step, announced, ask, at, fault_on, moved, tell, watch

MOVE: tuple[Step, ...] = (at(150), moved(), at(180), announced())
"""A new leader 150 ms after the fault, which all brokers name 30 ms later."""
ASKED: tuple[Step, ...] = (ask(), tell(NEW))
"""The client asks for metadata, and the answer names the new leader."""
MOVE_ASKED: tuple[Step, ...] = (*MOVE, *ASKED)


def judged(*steps: Step, play: Expectation = STORAGE_ERROR, ms: int = 10_000, **more: object) -> Verdict:
    """Judge a trial whose fault is followed by these steps, observed until `ms` milliseconds after the fault."""
    return judge(history(fault_on(), *steps, watch(ms), play=play, **more))


def facts(*steps: Step, **more: object) -> Facts:
    """Return the facts of such a trial."""
    return judged(*steps, **more).facts


def expectation_of(scenario: str, role: Role) -> Expectation:
    """Return what a scenario of the catalogue expects of a role."""
    found = default_scenarios()[scenario].variant(role)
    assert found is not None
    return found.expectation
