"""Brokers and networks fail under real clients: what the scenario says reaches the wire, and the verdict tells it."""

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
"""Elections as long as real ones would make this file wait."""
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
    (SARAMA, "start-during/broker/kill", "consumer"): SHORT,  # it cannot be constructed: its leader is dead
}
Played = tuple[History, Verdict]


@pytest.fixture(scope="module")
def played() -> Mapping[tuple[str, str], list[Played]]:
    """Play all cells at once; what the machine was too busy for is played again."""
    cells: dict[tuple[str, str, str], Planned] = {key: planned(*key, **more) for key, more in MORE.items()}
    found: dict[tuple[str, str, str], Played] = {}
    for _ in range(3):
        left = [key for key in cells if key not in found or found[key][1].outcome is Outcome.BROKEN]
        if left:
            found.update(zip(left, play([cells[key] for key in left]), strict=True))
    told: dict[tuple[str, str], list[Played]] = {}
    for (_, scenario, role), item in found.items():
        told.setdefault((scenario, role), []).append(item)
    return told


Scenes = Mapping[tuple[str, str], list[Played]]


def only(played: Scenes, scenario: str, role: str) -> Played:
    (found,) = played[scenario, role]
    return found


def engine(history: History, kind: EngineKind) -> list[int]:
    """Milliseconds after the fault of the engine's events of a kind."""
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
def test_good_clients_find_their_way(played: Scenes, scenario: str, role: str, outcome: Outcome) -> None:
    _, verdict = only(played, scenario, role)
    assert verdict.outcome is outcome, verdict.reason


def test_nobody_elects_before_the_session_is_over(played: Scenes) -> None:
    for role in ("consumer", "producer"):
        history, verdict = only(played, "broker/kill", role)
        assert min(engine(history, EngineKind.ANNOUNCED)) == pytest.approx(1500, abs=100)
        assert verdict.facts.reroute is Reroute.REFRESH
        assert verdict.facts.fault_hits > 0


def test_a_silence_is_left_at_the_clients_own_timeout(played: Scenes) -> None:
    for scenario in ("broker/hang", "net/blackhole"):
        history, verdict = only(played, scenario, "producer")
        assert history.header.play.prompt_ms > 10_000  # its own 5 s and 5 s more
        assert verdict.facts.refresh_ms is not None
        assert 3000 < verdict.facts.refresh_ms < 20000, scenario


def test_every_broker_rolls(played: Scenes) -> None:
    history, verdict = only(played, "broker/rolling", "producer")
    stopped = [e.broker for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.STOPPED]
    assert stopped[0] == history.header.subject.old
    assert len(set(stopped)) == len(stopped) >= 2
    assert verdict.facts.bystander_errors == 0


def test_idempotence_is_what_saves_from_duplicates(played: Scenes) -> None:
    by_idempotence = {h.header.settings["idempotence"]: v.facts for h, v in played["net/response-lost", "producer"]}
    plain, once = by_idempotence["false"], by_idempotence["true"]
    assert (plain.duplicated or 0) >= 3
    assert (once.duplicated, once.lost, once.reordered) == (0, 0, 0)
    assert plain.fault_hits >= 3


def test_a_dead_bootstrap_address_is_proved_by_one_attempt(played: Scenes) -> None:
    history, verdict = only(played, "bootstrap/first-dead", "consumer")
    dead = history.header.subject.bootstrap[0]
    assert dead == history.header.subject.old
    assert [e.by for e in history.events if isinstance(e, Closed) and e.broker == dead] == ["relay"]
    assert not [e for e in history.events if isinstance(e, Request) and e.broker == dead]
    assert verdict.facts.fault_hits == 1


def test_the_old_addresses_are_left_for_the_one_that_stays(played: Scenes) -> None:
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
