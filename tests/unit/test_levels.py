"""Levels per role: tables of trials and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from probe.catalogue.baseline import Counted, Scored, baseline
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.audit import examine
from probe.cells.badges import badge
from probe.cells.client_levels import client_levels
from probe.cells.level_changes import level_changes
from probe.cells.levels import Known, RoleLevel, level_of
from probe.cli.wiring.catalogue import by_number, families
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Outcome, Role, Verdict
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm, TrialHarm

P = Role.PRODUCER


def scored(scenario: str, *counts: Counted, role: Role = P, real_only: int = 0) -> Scored:
    return Scored(
        scenario=scenario, role=role, counts=counts, pairs=9, alike=9, real_only=real_only, references=("java@4.4.0",)
    )


NONE, ERRORS, BURDENS = (TrialHarm(rank=rank) for rank in (Harm.NONE, Harm.ERRORS, Harm.BURDENS))
STALLS, STOPS = TrialHarm(rank=Harm.STALLS, stalls_ms=27_000.0), TrialHarm(rank=Harm.STOPS)
LOSES, REPEATS = TrialHarm(rank=Harm.LOSES), TrialHarm(rank=Harm.REPEATS)


def of(bad: TrialHarm, count: int, trials: int) -> list[TrialHarm]:
    return [bad] * count + [NONE] * (trials - count)


def level(*scenarios: Scored, role: Role = P, **harms: Mapping[str, Sequence[TrialHarm]]) -> RoleLevel:
    return level_of(role, scenarios, Known(**harms))


ONE = scored("broker/hang")


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        (of(NONE, 0, 5), "3 quiet"),
        (of(NONE, 0, 200), "3 quiet"),
        (of(ERRORS, 5, 5), "2 in time: errors (broker/hang)"),
        (of(STALLS, 5, 5), "1 survives: stalls 27 s (broker/hang)"),
        (of(BURDENS, 5, 5), "1 survives: burdens (broker/hang)"),
        (of(STOPS, 5, 5), "0: stops (broker/hang)"),
        (of(REPEATS, 5, 5), "0: repeats (broker/hang)"),
        (of(LOSES, 5, 5), "0: loses (broker/hang)"),
        # 1 of 5: the interval is 4 to 56 %, so that 20 are due; 3 of 20: 6 to 32 %; 6 of 20: 17 to 49 %
        (of(STOPS, 1, 5), "0 or 3: stops in 1 of 5 (broker/hang)"),
        (of(STOPS, 3, 5), "0: stops in 3 of 5 (broker/hang)"),
        (of(STOPS, 1, 20), "0 or 3: stops in 1 of 20 (broker/hang)"),
        (of(STOPS, 3, 20), "0 or 3: stops in 3 of 20 (broker/hang)"),
        (of(STOPS, 6, 20), "0: stops in 6 of 20 (broker/hang)"),
        # more trials never change the rule: 1 of 60 is 0.4 to 7 %, 5 of 100 2.5 to 10 %
        (of(STOPS, 1, 60), "3 quiet"),
        (of(STOPS, 4, 100), "3 quiet"),
        (of(STOPS, 30, 100), "0: stops in 30 of 100 (broker/hang)"),
        # of several harms each allows its own level
        ([STOPS, *[ERRORS] * 19], "0 or 2: stops in 1 of 20 (broker/hang)"),
        ([STOPS, *[STALLS] * 9, *[NONE] * 50], "1 survives: stalls 27 s in 10 of 60 (broker/hang)"),
    ],
)
def test_level_of_one_scenario(trials: list[TrialHarm], words: str) -> None:
    assert level(ONE, defaults={"broker/hang": trials}).words == words


def test_a_level_is_the_least_of_its_scenarios() -> None:
    scenarios = (ONE, scored("net/blackhole"), scored("broker/kill"))
    trials = {"broker/hang": of(ERRORS, 5, 5), "net/blackhole": of(STALLS, 5, 5), "broker/kill": of(NONE, 0, 5)}
    found = level(*scenarios, defaults=trials)
    assert (found.low, found.high) == (1, 1)
    assert [one.scenario for one in found.holding] == ["net/blackhole", "broker/hang"]


def test_what_decides_a_level_is_named_before_what_may() -> None:
    """sarama 1.43.2 stops on a dead disk in every trial, and lost a record in one of five kills."""
    scenarios = (scored("broker/kill"), ONE, scored("disk/storage-error"))
    trials = {"broker/kill": of(LOSES, 1, 5), "broker/hang": of(LOSES, 2, 5), "disk/storage-error": of(STOPS, 5, 5)}
    found = level(*scenarios, defaults=trials, real={"disk/storage-error": of(STOPS, 5, 5)})
    assert found.words == "0: stops (disk/storage-error)"
    assert [one.scenario for one in found.holding[2:]] == ["broker/hang", "broker/kill"]


def test_a_range_names_each_scenario_that_makes_it_one() -> None:
    names = ("broker/hang", "broker/kill", "net/blackhole", "net/idle-dropped", "quota/throttled")
    scenarios = [scored(name) for name in (*names, "bootstrap/first-dead")]
    trials = {
        "broker/hang": of(STOPS, 1, 5),
        "broker/kill": of(STALLS, 2, 20),
        "bootstrap/first-dead": of(ERRORS, 5, 5),
    }
    rest = {name: of(NONE, 0, 5) for name in names if name not in trials}
    real = {"broker/kill": of(STALLS, 1, 20)}
    assert level(*scenarios, defaults={**trials, **rest}, real=real).words == (
        "0 or 2: stops in 1 of 5 (broker/hang), stalls 27 s in 2 of 20 (broker/kill)"
    )
    many = {name: of(STOPS, 1, 5) for name in names}
    assert level(*scenarios, defaults={**trials, **many}, real=real).words == (
        "0 or 2: stops in 1 of 5 (broker/hang), stops in 1 of 5 (broker/kill), stops in 1 of 5 (net/blackhole) "
        "and 2 more"
    )


@pytest.mark.parametrize(
    ("counts", "harm", "words"),
    [
        ((), STALLS, "1 survives: stalls 27 s (broker/hang)"),
        ((Counted.LOSES,), STOPS, "3 quiet"),
        ((Counted.LOSES,), LOSES, "0: loses (broker/hang)"),
        ((Counted.STOPS,), LOSES, "3 quiet"),
        ((Counted.STOPS,), STOPS, "0: stops (broker/hang)"),
        ((Counted.LOSES, Counted.STOPS), STALLS, "3 quiet"),
    ],
)
def test_only_the_harms_that_a_scenario_scores_count(counts: tuple[Counted, ...], harm: TrialHarm, words: str) -> None:
    assert level(scored("broker/hang", *counts), defaults={"broker/hang": [harm] * 5}).words == words


def test_a_level_needs_every_scenario_with_five_trials() -> None:
    two = (ONE, scored("net/blackhole"))
    assert level(*two, defaults={"broker/hang": of(NONE, 0, 5)}).words == "undecided (1 of 2 settled)"
    few = {"broker/hang": of(NONE, 0, 5), "net/blackhole": of(STOPS, 4, 4)}
    assert level(*two, defaults=few).low is None
    assert level(*two, defaults=few | {"net/blackhole": of(NONE, 0, 5)}).words == "3 quiet"


def test_trials_on_real_brokers_settle_a_scenario_without_any_on_fake_ones() -> None:
    assert level(ONE, real={ONE.scenario: of(NONE, 0, 5)}).words == "3 quiet"
    assert level(ONE, real={ONE.scenario: of(NONE, 0, 4)}).measured == 0


@pytest.mark.parametrize("one", [scored("leader/elected"), scored("broker/kill", real_only=7)])
def test_core_scenarios_and_those_that_lose_need_real_brokers(one: Scored) -> None:
    embedded = {one.scenario: of(NONE, 0, 5)}
    assert level(one, defaults=embedded).words == "undecided"
    assert level(one, defaults=embedded, real={one.scenario: of(NONE, 0, 5)}).words == "3 quiet"
    assert level(one, defaults=embedded, real={one.scenario: of(LOSES, 5, 5)}).words == f"0: loses ({one.scenario})"


def test_without_the_defaults_a_client_reacts_and_has_no_level() -> None:
    scenarios = (ONE, scored("net/blackhole"), scored("broker/kill"))
    known = {"broker/hang": of(STOPS, 1, 20), "net/blackhole": of(STALLS, 1, 1)}
    found = level(*scenarios, isolated=known)
    assert (found.words, found.low) == ("reacts in 1 of 2, 1 not measured", None)
    more = level(*scenarios, isolated=known, defaults={"broker/kill": of(NONE, 0, 5)})
    assert more.words == "undecided (1 of 3 settled); reacts in 1 of 2, 1 not measured"
    assert level(*scenarios).words == "not measured"


def test_an_admin_client_has_no_level() -> None:
    one = scored("controller/gone", Counted.STOPS, role=Role.ADMIN)
    found = level(
        one, role=Role.ADMIN, defaults={"controller/gone": of(NONE, 0, 5)}, isolated={"controller/gone": [STOPS]}
    )
    assert (found.low, found.words) == (None, "reacts in 0 of 1")


def test_a_scenario_that_is_not_scored_changes_no_level() -> None:
    trials = {"broker/hang": of(NONE, 0, 5)}
    before = level(ONE, defaults=trials, isolated=trials)
    added = {"broker/comet": of(LOSES, 5, 5)}
    assert level(ONE, defaults=trials | added, isolated=trials | added, real=added) == before


@pytest.mark.parametrize(
    ("trials", "message", "colour"),
    [
        (of(NONE, 0, 5), "3 quiet", "brightgreen"),
        (of(ERRORS, 5, 5), "2 in time", "green"),
        (of(STOPS, 3, 20), "0 or 3", "red"),
        (of(NONE, 0, 4), "undecided", "lightgrey"),
    ],
)
def test_a_badge_names_its_role_and_the_least_level(trials: list[TrialHarm], message: str, colour: str) -> None:
    found = badge(level(ONE, defaults={"broker/hang": trials}))
    assert found["label"] == "Failover Baseline 2026: producer"
    assert (found["message"], found["color"]) == (message, colour)


@pytest.mark.parametrize("client", ["sarama@1.43.2", "kafka-go@0.4.51", "librdkafka@2.16.0"])
def test_a_scenario_that_the_catalogue_gets_later_changes_no_level(client: str) -> None:
    """Only the frozen list counts: evidence of any further scenario, however bad, is shown and not scored."""
    (asked,) = select_clients(families(), [client], by_number)
    with open_evidence([str(built(TEXT))], "", 36_500) as found:
        stored = found.find(Wanted(family=[asked.client.family], version=[asked.client.version]))
    bad = Verdict(outcome=Outcome.STUCK, reason="", conforms=False)
    later = {
        cell: replace(item, cell=cell, verdicts=(bad,) * len(item.verdicts))
        for item in stored.values()
        for cell in (replace(item.cell, scenario=f"later/{item.cell.scenario}"),)
    }

    def levels(known: Mapping[Cell, SettledCell]) -> list[RoleLevel]:
        own = [cell for cell in known if cell.engine is DEFAULT_ENGINE and cell.broker == "3.9"]
        return client_levels(asked.family, asked.client, examine(own, known), known, "3.9")

    assert levels(stored)
    assert levels({**stored, **later}) == levels(stored)


def test_a_scenario_that_the_defaults_cannot_meet_holds_no_level_back() -> None:
    """kafka-go writes with acks=0 by default, which never meets too few replicas, and with acks=all in `isolated`."""
    (asked,) = select_clients(families(), ["kafka-go@0.4.51"], by_number)
    with open_evidence([str(built(TEXT))], "", 36_500) as found:
        stored = found.find(Wanted(family=[asked.client.family], version=[asked.client.version]))
    own = [cell for cell in stored if cell.engine is DEFAULT_ENGINE and cell.broker == "3.9"]
    assert any(cell.scenario == "topic/too-few-replicas" for cell in own)
    (level,) = (
        one
        for one in client_levels(asked.family, asked.client, examine(own, stored), stored, "3.9")
        if one.role is Role.PRODUCER
    )
    assert level.of == sum(not one.acks_all for one in baseline().of(Role.PRODUCER))


def test_levels_differ_only_over_equally_many_scenarios() -> None:
    stops = RoleLevel(role=P, reacts=1, known=2, of=3)
    (change,) = level_changes([stops], [replace(stops, reacts=2)])
    assert change.words == "producer: reacts in 1 of 2, 1 not measured -> reacts in 2 of 2, 1 not measured"
    assert not level_changes([stops], [replace(stops, known=3, reacts=2)]), "the other side did not measure one"
    assert not level_changes([stops], [stops])
    assert not level_changes([stops], [])
