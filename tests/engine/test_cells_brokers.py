"""Real clients under faults of brokers and networks: the fault reaches the wire and decides the verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from probe.model import (
    App,
    AppKind,
    Closed,
    Election,
    EngineEvent,
    EngineKind,
    Facts,
    History,
    Mark,
    MarkKind,
    Opened,
    Outcome,
    Request,
    Reroute,
    Verdict,
)
from probe.planning.plan import Planned
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real

SARAMA, PYTHON = "sarama@1.61.1", "kafka-python@3.0.12"
SHORT = {"election": Election(1500)}
"""A short election keeps these tests fast."""
QUICK = {"profiles": ["quick-timeouts"], "election": Election(1500)}
IDEMPOTENT = {"profiles": ["idempotent"]}
MORE: Mapping[tuple[str, str, str], dict[str, object]] = {
    (PYTHON, "broker/shutdown", "group"): {},
    (SARAMA, "broker/rolling", "producer"): {},
    (PYTHON, "broker/kill", "consumer"): SHORT,
    (SARAMA, "broker/kill", "producer"): SHORT,
    (PYTHON, "broker/hang", "producer"): QUICK,
    (PYTHON, "broker/slow-recovery", "producer"): {},
    (PYTHON, "net/refused", "producer"): {},
    (PYTHON, "net/blackhole", "producer"): QUICK,
    (SARAMA, "net/slow", "consumer"): {},
    (SARAMA, "net/response-lost", "producer"): {},
    (PYTHON, "net/response-lost", "producer"): IDEMPOTENT,
    (SARAMA, "bootstrap/first-dead", "consumer"): {},
    (SARAMA, "bootstrap/addresses-changed", "producer"): {},
    (SARAMA, "start-during/disk/storage-error", "producer"): {},
    (
        SARAMA,
        "start-during/broker/kill",
        "consumer",
    ): SHORT,  # the client cannot be constructed while its leader is dead
}
Played = tuple[History, Verdict]
LOST = 3
"""Answers that net/response-lost takes away from a client."""
PLAYS = 5
"""An answer in about one trial of 30 is lost that made no copy. All plays of a cell are so once in 24 million."""


@pytest.fixture(scope="module")
def played() -> Mapping[tuple[str, str], list[Played]]:
    """Run all cells at the same time; run again those in which the harness failed, or which decide nothing."""
    cells: dict[tuple[str, str, str], Planned] = {key: planned(*key, **more) for key, more in MORE.items()}
    found: dict[tuple[str, str, str], Played] = {}
    for _ in range(PLAYS):
        left = [key for key in cells if key not in found or not decides(found[key][1], key)]
        if left:
            found.update(zip(left, play([cells[key] for key in left]), strict=True))
    grouped: dict[tuple[str, str], list[Played]] = {}
    for (_, scenario, role), item in found.items():
        grouped.setdefault((scenario, role), []).append(item)
    return grouped


def decides(verdict: Verdict, key: tuple[str, str, str]) -> bool:
    """Return whether the harness worked, and a producer without idempotence repeated every record that it had to."""
    repeats = key == (SARAMA, "net/response-lost", "producer")
    return verdict.outcome is not Outcome.BROKEN and (not repeats or (verdict.facts.duplicated or 0) >= LOST)


Scenes = Mapping[tuple[str, str], list[Played]]


def only(played: Scenes, scenario: str, role: str) -> Played:
    (found,) = played[scenario, role]
    return found


def engine(history: History, kind: EngineKind) -> list[int]:
    """Return the times of the engine's events of a kind, in ms after the fault."""
    zero = next(e.at for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.FAULT_ON)
    return [round((e.at - zero) / 1000) for e in history.events if isinstance(e, EngineEvent) and e.kind is kind]


@pytest.mark.parametrize(
    ("scenario", "role", "outcome"),
    [
        ("broker/shutdown", "group", Outcome.REFRESHES),
        ("broker/rolling", "producer", Outcome.REFRESHES),
        ("broker/hang", "producer", Outcome.REFRESHES),
        ("broker/slow-recovery", "producer", Outcome.RIDES),
        ("net/refused", "producer", Outcome.REFRESHES),
        ("net/blackhole", "producer", Outcome.REFRESHES),
        ("net/slow", "consumer", Outcome.RIDES),
        ("bootstrap/first-dead", "consumer", Outcome.REFRESHES),
        ("bootstrap/addresses-changed", "producer", Outcome.REFRESHES),
        ("start-during/disk/storage-error", "producer", Outcome.CLEAN),
    ],
)
def test_well_behaved_clients_recover(played: Scenes, scenario: str, role: str, outcome: Outcome) -> None:
    _, verdict = only(played, scenario, role)
    assert verdict.outcome is outcome, verdict.reason


def test_no_election_before_the_session_times_out(played: Scenes) -> None:
    for role in ("consumer", "producer"):
        history, verdict = only(played, "broker/kill", role)
        assert min(engine(history, EngineKind.ANNOUNCED)) == pytest.approx(1500, abs=100)
        assert verdict.facts.reroute is Reroute.REFRESH
        assert verdict.facts.fault_hits > 0


def test_a_silent_broker_is_left_after_the_clients_timeout(played: Scenes) -> None:
    for scenario in ("broker/hang", "net/blackhole"):
        history, verdict = only(played, scenario, "producer")
        assert history.header.play.prompt_ms > 10_000  # the client's timeout of 5 s and another 5 s
        assert verdict.facts.refresh_ms is not None
        assert 3000 < verdict.facts.refresh_ms < 20000, scenario


def test_a_rolling_restart_stops_every_broker_once(played: Scenes) -> None:
    history, verdict = only(played, "broker/rolling", "producer")
    stopped = [e.broker for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.STOPPED]
    assert stopped[0] == history.header.subject.old
    assert len(set(stopped)) == len(stopped) >= 2
    assert verdict.facts.bystander_errors == 0


def test_only_idempotence_prevents_duplicates(played: Scenes) -> None:
    by_idempotence = {h.header.settings["idempotence"]: v.facts for h, v in played["net/response-lost", "producer"]}
    plain, once = by_idempotence["false"], by_idempotence["true"]
    assert (plain.duplicated or 0) >= LOST
    assert (once.duplicated, once.lost, once.reordered) == (0, 0, 0)
    assert plain.fault_hits >= LOST


def test_one_attempt_at_a_dead_bootstrap_address_is_a_hit(played: Scenes) -> None:
    history, verdict = only(played, "bootstrap/first-dead", "consumer")
    dead = history.header.subject.bootstrap[0]
    assert dead == history.header.subject.old
    assert [e.by for e in history.events if isinstance(e, Closed) and e.broker == dead] == ["relay"]
    assert not [e for e in history.events if isinstance(e, Request) and e.broker == dead]
    assert verdict.facts.fault_hits == 1


def test_a_client_returns_to_the_bootstrap_address_that_stays(played: Scenes) -> None:
    history, verdict = only(played, "bootstrap/addresses-changed", "producer")
    assert verdict.facts.reroute is Reroute.BOOTSTRAP
    assert history.header.subject.bootstrap == (0,)
    fault = next(e.at for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.FAULT_ON)
    assert {e.broker for e in history.events if isinstance(e, Opened) and e.at > fault} > {0}


def test_only_the_second_instance_is_judged(played: Scenes) -> None:
    for scenario, role in (("start-during/disk/storage-error", "producer"), ("start-during/broker/kill", "consumer")):
        history, verdict = only(played, scenario, role)
        name = history.header.subject.instance
        assert name.endswith("-2")
        apps = [event for event in history.events if isinstance(event, App)]
        assert {event.instance for event in apps} == {name}
        warm = next(e.at for e in history.events if isinstance(e, Mark) and e.kind is MarkKind.WARM)
        assert min(event.at for event in apps) > warm
        assert {e.client_id for e in history.events if isinstance(e, Request)} == {name}
        assert verdict.outcome in {Outcome.CLEAN, Outcome.SURFACES, Outcome.FATAL}, verdict.reason
        assert (verdict.outcome is Outcome.FATAL) == (AppKind.READY not in {event.kind for event in apps})


def test_slow_answers_are_hits_and_break_no_promise(played: Scenes) -> None:
    _, verdict = only(played, "net/slow", "consumer")
    facts: Facts = verdict.facts
    assert facts.fault_hits > 0
    assert (facts.position_jump, facts.errors_surfaced) == (0, 0)
