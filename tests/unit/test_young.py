"""Young clients: the fact, who has the harmless election, and what a client that does not bear it is played with."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.errors import YoungError
from probe.model import App, AppKind, Engine, History, Mark, MarkKind, Outcome, Role
from probe.model.clock import now_us
from probe.model.conditions import CHANGES
from probe.model.placement import TopicPlan
from probe.ports import Elected
from probe.recorder import Recorder
from probe.runner.schedule import attempts
from probe.runner.schedule.attempts import as_control_bears, trial_of
from probe.runner.trial import harmless_election
from probe.runner.trial.harmless_election import had_election, holds_election
from probe.runner.trial.state import TrialState
from probe.verdict import judge
from tests.support import virtual_time
from tests.support.histories import history
from tests.support.real_cells import planned
from tests.support.transcript import OLD, THIRD, ZERO
from tests.support.transcript_steps import Step, acked, ask, at, fault_on, fetch_answer, mark, tell, unstored, watch

SARAMA = "sarama@1.43.3"
ELECTED = mark(MarkKind.ELECTED)
ASKED: tuple[Step, ...] = (at(-1500), ask(), tell(OLD))


def young(*warm_up: Step, role: Role = Role.PRODUCER) -> bool:
    return judge(history(fault_on(), watch(10_000), warm_up=warm_up, role=role)).facts.young


@pytest.mark.parametrize("role", [Role.PRODUCER, Role.CONSUMER, Role.GROUP, Role.TRANSACTIONAL])
def test_a_client_that_asked_once_it_worked_is_not_young(role: Role) -> None:
    assert young(role=role)
    assert young(at(-1500), ELECTED, role=role)  # it followed a hint
    assert not young(*ASKED, role=role)


def test_an_answer_after_the_fault_does_not_make_a_client_older() -> None:
    found = history(fault_on(), ask(), tell(), watch(10_000))
    assert judge(found).facts.young


@pytest.mark.parametrize(
    ("scenario", "role", "holds"),
    [
        ("disk/storage-error", Role.PRODUCER, True),
        ("steady", Role.PRODUCER, True),
        ("net/blackhole", Role.GROUP, True),
        ("broker/kill", Role.TRANSACTIONAL, True),
        ("topic/replaced", Role.CONSUMER, False),
        ("start-during/net/refused", Role.PRODUCER, False),
        ("bootstrap/first-dead", Role.PRODUCER, False),
        ("controller/moved", Role.ADMIN, False),
    ],
)
def test_the_election_is_left_out_where_it_means_nothing(scenario: str, role: Role, holds: bool) -> None:
    item = planned("java@3.9.2", scenario, str(role))
    assert holds_election(item, young=False) is holds
    assert not holds_election(item, young=True)


def test_the_first_leader_is_neither_the_coming_one_nor_its_successor() -> None:
    plan = TopicPlan(feed_ms=0, bystander_ms=0, elects=True)
    assert plan.first_leader((1, 2, 3), successor=2) == 3
    assert plan.first_leader((3, 1, 2), successor=1) == 2
    assert plan.first_leader((2, 3), successor=3) == 3  # there is no other
    assert plan.first_leader((2,), successor=3) == 2
    assert replace(plan, elects=False).first_leader((1, 2, 3), successor=2) == 1


def test_without_acks_of_all_the_election_may_cost_what_came_before_it() -> None:
    """A record from before the election is no loss by the fault; one from after it is."""

    def lost(sequence: int, acks: str) -> int | None:
        steps = (fault_on(), acked(3), unstored(sequence), watch(10_000))
        found = history(*steps, warm_up=(at(-1500), ELECTED), settings={"acks": acks})
        return judge(found).facts.lost

    first, later = 0, 11
    assert [lost(first, "all"), lost(later, "all")] == [1, 1]
    assert [lost(first, "1"), lost(later, "1")] == [0, 1]


def test_without_any_acks_it_may_cost_what_came_before_the_client_asked() -> None:
    """As kafka-go's producer, which writes to the former leader until its refresh, every 6 s."""

    def lost(sequence: int, *asked: Step, acks: str = "0") -> int | None:
        steps = (fault_on(), acked(3), unstored(sequence), watch(10_000))
        warm_up = (at(-1900), ELECTED, at(-1500), acked(1, OLD), *asked)
        found = history(*steps, warm_up=warm_up, settings={"acks": acks})
        return judge(found).facts.lost

    asked = at(-1000), ask(), tell(OLD)
    before, after, under_the_fault = 5, 7, 11
    assert [lost(one, *asked) for one in (before, after, under_the_fault)] == [0, 1, 1]
    assert [lost(one, *asked, acks="1") for one in (before, after)] == [1, 1]
    assert [lost(one) for one in (before, after, under_the_fault)] == [0, 0, 1]  # it never asked before the fault


class Trials:
    """A run whose client does not bear the election, or is not clean after it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, fails: bool) -> None:
        self.item = planned(SARAMA, "steady")
        self.other = planned(SARAMA, "disk/storage-error")
        self.played: list[bool] = []
        self.young = set[Any]()
        self.run: Any = SimpleNamespace(
            tools=None, options=None, starting=None, young=self.young, steady={}, learn_young=self._learn
        )

        async def run_trial(*_: object, young: bool, **__: object) -> History:
            self.played.append(young)
            if not young and fails:
                raise YoungError("it did not serve")
            return history(fault_on(), watch(10_000), warm_up=() if young else (ELECTED,))

        async def judged(_: object, found: History) -> Any:
            return SimpleNamespace(outcome=Outcome.STORMS if had_election(found) else Outcome.CLEAN)

        monkeypatch.setattr(attempts, "run_trial", run_trial)
        monkeypatch.setattr(attempts, "submit", judged)

    def _learn(self, item: Any) -> None:
        if item.is_control:
            self.young.add(item.cell)

    async def play(self, item: Any) -> History:
        place: Any = SimpleNamespace(downgrade=None)

        async def again() -> History:
            return await trial_of(self.run, item, 0, place)

        return await as_control_bears(self.run, item, await again(), again)


@pytest.mark.parametrize("fails", [True, False])
def test_a_client_whose_control_cell_shows_the_election_stays_young(
    monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    trials = Trials(monkeypatch, fails=fails)
    assert not had_election(virtual_time.run(trials.play(trials.item)))
    assert trials.played == [False, True]
    assert trials.young == {trials.item.cell}
    assert not had_election(virtual_time.run(trials.play(trials.other)))
    assert trials.played == [False, True, True]


def test_a_trial_that_fails_alone_makes_no_other_young(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = Trials(monkeypatch, fails=True)
    assert not had_election(virtual_time.run(trials.play(trials.other)))
    assert (trials.played, trials.young) == ([False, True], set())


def test_a_control_cell_that_is_not_clean_either_way_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = Trials(monkeypatch, fails=False)

    async def judged(*_: object) -> Any:
        return SimpleNamespace(outcome=Outcome.STORMS)

    monkeypatch.setattr(attempts, "submit", judged)
    assert had_election(virtual_time.run(trials.play(trials.item)))
    assert trials.young == set()


def test_the_engines_with_an_election_are_those_whose_conditions_have_it() -> None:
    for engine in Engine:
        item = planned("java@3.9.2", "disk/storage-error", engine=engine, brokers=["3.9"])
        has_row = any(change.number == 6 and change.concerns(item.cell) for change in CHANGES)
        assert holds_election(item, young=False) is has_row


@pytest.mark.parametrize(("broker", "at_leader"), [(OLD, True), (THIRD, False)])
def test_a_reader_that_stays_at_the_former_leader_does_not_meet_the_fault(broker: int, at_leader: bool) -> None:
    found = history(at(-10), fetch_answer(broker=broker), role=Role.CONSUMER, running=True)
    state = TrialState(planned(SARAMA, "disk/storage-error", "consumer"), found.header, Recorder())
    for event in found.events:
        state.recorder.add(event)
    assert harmless_election._works_at(state, OLD, since=ZERO - 10_000) is at_leader
    assert not harmless_election._works_at(state, OLD, since=ZERO + 10_000_000)


class Electing:
    """A trial whose client reports these events once the leader is elected."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **limits: float) -> None:
        found = history(at(-10), running=True)
        shift = now_us() - ZERO
        self.state = TrialState(planned(SARAMA, "disk/storage-error"), found.header, Recorder())
        for event in found.events:
            self.state.recorder.add(replace(event, at=event.at + shift))
        for name, value in {"ASKS_S": 0.05, "QUIET_S": 0.1, "CALMS_S": 0.4, "SERVES_S": 0.2, **limits}.items():
            monkeypatch.setattr(harmless_election, name, value)
        monkeypatch.setattr(harmless_election, "_works_at", lambda *_, **__: True)

    async def play(self, *kinds: AppKind, every_s: float = 0.0, others_s: float = 0.0) -> int:
        """Hold the election, for which other trials of the cohort are awaited at first.

        Return the time of its end in microseconds.
        """

        async def elect() -> Elected:
            await asyncio.sleep(others_s)
            return Elected(OLD, now_us())

        async def work() -> None:
            for kind in kinds:
                await asyncio.sleep(every_s)
                self.state.recorder.add(App(at=now_us(), kind=kind, instance="me", partition=0))

        environment: Any = SimpleNamespace(cluster=SimpleNamespace(elect=elect))
        working = asyncio.create_task(work())
        try:
            await harmless_election.hold_election(self.state, environment)
        finally:
            working.cancel()
        return now_us()


ACKED, FAILED = AppKind.ACKED, AppKind.SEND_ERROR


def test_the_fault_waits_until_the_client_has_worked_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Electing(monkeypatch)
    began = now_us()
    ended = virtual_time.run(trial.play(FAILED, ACKED, ACKED, FAILED, ACKED, every_s=0.02))
    failed = trial.state.recorder.failed_at
    assert failed > began
    assert ended - failed >= 100_000
    assert any(isinstance(one, Mark) and one.kind is MarkKind.ELECTED for one in trial.state.history().events)


def test_a_client_that_does_not_serve_again_is_played_young(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(YoungError, match="did not serve"):
        virtual_time.run(Electing(monkeypatch).play(ACKED, FAILED))
    with pytest.raises(YoungError, match="did not serve"):
        virtual_time.run(Electing(monkeypatch).play(AppKind.FATAL))


def test_what_a_client_does_while_its_cohort_is_awaited_is_no_service_after_the_election(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(YoungError, match="did not serve"):
        virtual_time.run(Electing(monkeypatch).play(*[ACKED] * 9, others_s=0.1))


def test_a_client_that_goes_on_reporting_errors_is_played_young(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(YoungError, match="reported errors"):
        virtual_time.run(Electing(monkeypatch).play(ACKED, ACKED, *[FAILED] * 50, every_s=0.02))
