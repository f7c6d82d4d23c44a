"""Scenarios with an absent application: their profile, their length, and who cannot play them."""

from __future__ import annotations

from typing import Any

import pytest

from probe.catalogue.scenarios import select_scenarios
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Engine, Profile, Role
from probe.model.profile import SHORT_LIMITS
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.planning.plan import Plan, Planned
from probe.planning.selection import LongWatches
from probe.scenarios.absences import AFTERWARDS_MS, with_length
from probe.scenarios.client_paused import SCENARIO

SARAMA, TELEGRAF = "sarama@1.43.3", "telegraf@1.32.3"
PAUSED, BUSY, IDLE, OPEN = "client/paused", "client/slow-handler", "net/idle-closed", "txn/timed-out"


def plan(*scenarios: str, client: str = SARAMA, **asked: Any) -> Plan:
    found, _ = RunSelection(clients=[client], scenarios=scenarios, seed=1, **asked).whole()
    return found


def cells(*scenarios: str, **asked: Any) -> dict[tuple[str, Role, str], Planned]:
    return {(item.cell.scenario, item.cell.role, item.cell.profile): item for item in plan(*scenarios, **asked).cells}


@pytest.mark.parametrize("scenario", [PAUSED, BUSY, IDLE, OPEN])
def test_such_scenarios_run_with_short_limits_where_these_mean_something(scenario: str) -> None:
    short = {role for name, role, profile in cells(scenario) if (name, profile) == (scenario, SHORT_LIMITS)}
    usual = {role for name, role, profile in cells(scenario) if (name, profile) == (scenario, "isolated")}
    assert short == {Role.GROUP, Role.TRANSACTIONAL} & (short | usual)
    assert not {Role.GROUP, Role.TRANSACTIONAL} & usual


def test_each_of_their_profiles_has_a_control_cell() -> None:
    found = cells(PAUSED, "net/reset", roles=[Role.PRODUCER, Role.GROUP])
    controls = {(role, profile) for scenario, role, profile in found if scenario == "steady"}
    assert controls == {(role, profile) for scenario, role, profile in found if scenario != "steady"}


def test_a_profile_that_the_user_names_stays() -> None:
    assert {profile for _, _, profile in cells(PAUSED, profiles=["isolated"])} == {"isolated"}
    properties = cells(PAUSED, properties=["Net.DialTimeout=5s"], roles=[Role.GROUP])
    assert {profile for _, _, profile in properties} == {f"{SHORT_LIMITS}+Net.DialTimeout=5s"}


def test_other_scenarios_keep_the_usual_profile() -> None:
    assert {profile for _, _, profile in cells("net/reset", "leader/elected")} == {"isolated"}


@pytest.mark.parametrize(("profile", "is_long"), [(SHORT_LIMITS, False), ("isolated", True), ("defaults", True)])
def test_an_absence_is_longer_than_the_limits_of_its_profile(profile: str, is_long: bool) -> None:
    variant = SCENARIO.variant(Role.GROUP)
    assert variant is not None
    found = with_length(variant, Profile(profile))
    assert found.heal_after_ms is not None
    assert found.expectation.watch_ms == found.heal_after_ms + AFTERWARDS_MS
    assert (found.expectation.watch_ms >= LONG_OBSERVATION_MS) is is_long


def test_long_absences_are_long_watches() -> None:
    found = plan(PAUSED, client="sarama@1.43.1", profiles=["isolated"], long_watches=LongWatches.CORE)
    skips = [skip for skip in found.skips if skip.cell.role is not Role.SHARE]  # which sarama lacks
    assert {skip.cell.scenario for skip in skips} == {PAUSED}
    assert all("observed for 100 s" in skip.reason for skip in skips)


def test_applications_with_a_process_of_their_own_are_skipped() -> None:
    found = plan("steady", PAUSED, BUSY, client=TELEGRAF, roles=[Role.PRODUCER, Role.GROUP])
    reasons = {skip.reason for skip in found.skips}
    assert reasons == {"telegraf is an application with a process and a handler of its own, out of reach here"}


def test_both_engines_play_them() -> None:
    found, _ = RunSelection(
        clients=[SARAMA], scenarios=["client/*"], engine=Engine.KAFKA, brokers=["3.9.2"], seed=1
    ).whole()
    assert {item.cell.scenario for item in found.cells} == {"steady", PAUSED, BUSY}


@pytest.mark.parametrize("name", ["share/lock-expires", "share/broker-restarted"])
def test_a_share_consumer_is_busy_while_brokers_change(name: str) -> None:
    (item,) = select_scenarios([name])
    variant = item.variant(Role.SHARE)
    assert variant is not None
    assert variant.absence is not None
    assert variant.absence.busy
    assert variant.steps
    assert variant.watch_least_ms == variant.heal_after_ms == variant.absence.long_ms == variant.absence.short_ms
    assert variant.expectation.watch_ms > variant.absence.long_ms
