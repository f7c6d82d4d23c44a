"""Look-ups ask for each scenario's own profile, as the plan of a run does, and say it where it is not the usual one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.scenarios import select_scenarios
from probe.cells.audit import Fault, Finding
from probe.cli.app import app
from probe.cli.wiring.audit_requests import ask
from probe.cli.wiring.run_selection import RunSelection
from probe.inventory.entries import Found, Place
from probe.model import CONTROL, Cell, Engine, Outcome, Profile, Role, Workload
from probe.model.profile import DEFAULT_PROFILE, REFRESHING, SHORT_LIMITS
from probe.model.rack import Rack
from probe.reports.audit.recommendations import bisect_command
from probe.scenarios.own_profiles import LOG_INS, OWN_PROFILES, profile_of, security_of
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import code, look, publish, settled, shipped

__all__ = ["shipped"]  # the fixture

PAUSED = "client/paused"
GROUP = replace(CELL, version="1.43.2", role=Role.GROUP, scenario=PAUSED, profile=SHORT_LIMITS)
WITH_OWN = tuple(OWN_PROFILES)
JUDGED = tuple(
    item.name for item in select_scenarios(WITH_OWN) if any(one.expectation.conforms for one in item.variants)
)
"""Those of which an audit asks: an informative scenario says nothing about conformity."""


def audit(tmp_path: Path, inventory: str, *arguments: str) -> Result:
    (tmp_path / "fleet.csv").write_text(inventory)
    where = ("--results", str(tmp_path / "results"), "--scenario", PAUSED)
    return CliRunner().invoke(app, ["audit", str(tmp_path / "fleet.csv"), *where, *arguments])


@pytest.mark.parametrize("client", ["sarama@1.43.2", "java@3.9.0", "kafkajs@2.2.4"])
def test_an_audit_asks_for_the_cells_that_a_run_plays(client: str) -> None:
    family, _, version = client.partition("@")
    service = Found(service="", package=family, client=family, version=version, place=Place(file="x"))
    every = ask(service, select_scenarios(JUDGED), Engine.EMBEDDED, "3.9").cells
    asked = [cell for cell in every if cell.workload is Workload.CONTINUOUS]
    plan, _ = RunSelection(clients=[client], scenarios=JUDGED, seed=1).whole()
    assert set(asked) == {item.cell for item in plan.cells}
    in_racks = str(Profile(REFRESHING, rack=Rack.FOLLOWER))
    assert {cell.profile for cell in asked} == {DEFAULT_PROFILE, REFRESHING, SHORT_LIMITS, in_racks}


def test_a_lookup_answers_for_the_scenarios_own_profile_and_names_it(tmp_path: Path, shipped: Path) -> None:
    of_others = replace(GROUP, scenario="net/reset")
    control = replace(GROUP, scenario=CONTROL)
    producer = replace(GROUP, role=Role.PRODUCER, profile=DEFAULT_PROFILE)
    publish(
        shipped,
        settled(GROUP, Outcome.STUCK),
        settled(of_others, Outcome.STUCK),
        settled(control, Outcome.CLEAN),
        settled(producer, Outcome.CLEAN),
    )
    done = look(tmp_path, "sarama@1.43.2")
    title, found, *_ = done.stdout.splitlines()
    assert title.endswith(
        f"profile isolated, {SHORT_LIMITS} where it is the scenario's own: 1 fails, 2 passes, in 3 trials"
    )
    assert found == f"  fails          group {SHORT_LIMITS} client/paused: stops silently; stuck in 1 trial"
    assert f"  passes         group, 1 trial each: steady ({SHORT_LIMITS})\n" in done.stdout
    assert "net/reset" not in done.stdout  # its own profile is the usual one
    assert f"group client/paused ({SHORT_LIMITS}) stuck" in look(tmp_path, "sarama").stdout
    assert "group" not in look(tmp_path, "sarama@1.43.2", "--profile", DEFAULT_PROFILE).stdout
    assert "group short-limits net/reset" in look(tmp_path, "sarama@1.43.2", "--profile", SHORT_LIMITS).stdout


def test_an_audit_answers_for_the_scenarios_own_profile_and_names_it(tmp_path: Path, shipped: Path) -> None:
    good = replace(GROUP, version="1.43.3")
    publish(shipped, settled(GROUP, Outcome.STUCK), settled(good, Outcome.CLEAN))
    done = audit(tmp_path, "service,client,role\norders,sarama@1.43.2,group\n")
    assert code(done) == 1
    shown = f"group client/paused, profile {SHORT_LIMITS}: stops silently; stuck in 1 trial: it stuck; shipped"
    assert shown in done.stdout
    assert "smallest upgrade: sarama 1.43.3" in done.stdout
    (one,) = json.loads(audit(tmp_path, "client,role\nsarama@1.43.2,group\n", "--json").stdout)["services"]
    assert {(item["profile"], item["finding"]) for item in one["faults"]} == {(SHORT_LIMITS, "fails")}


def test_a_profile_that_the_inventory_names_stays(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(GROUP, Outcome.STUCK))
    done = audit(tmp_path, f"client,role,profile\nsarama@1.43.2,group,{DEFAULT_PROFILE}\n")
    assert code(done) == 3
    assert SHORT_LIMITS not in done.stdout


def test_properties_of_a_service_are_added_to_the_scenarios_own_profile(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(GROUP, Outcome.STUCK))
    done = audit(tmp_path, "client,role,properties\nsarama@1.43.2,group,Net.DialTimeout=5s\n", "--fail-on", "suspected")
    assert code(done) == 1
    assert f"profile {SHORT_LIMITS}: stops silently; stuck in 1 trial (with the library's own settings)" in done.stdout


@pytest.mark.parametrize(("cell", "option"), [(GROUP, f" --profile {SHORT_LIMITS}"), (CELL, "")])
def test_the_advised_bisection_is_of_the_same_profile(cell: Cell, option: str) -> None:
    command = bisect_command(Fault(cell, Finding.FAILS, None))
    assert command == f"probe bisect {cell.family} {cell.scenario} --role {cell.role}{option}"


def test_a_bisection_finds_the_change_in_the_scenarios_own_profile(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(GROUP, Outcome.STUCK), settled(replace(GROUP, version="1.43.3"), Outcome.CLEAN))
    options = ["--role", "group", "--no-run", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, ["bisect", "sarama", PAUSED, *options])
    assert done.exit_code == 0, done.output
    assert f"sarama 1.43.3 is the first version that is clean (group, {SHORT_LIMITS}, 3.9)" in done.stdout


def test_a_lookup_answers_for_the_scenarios_own_security(tmp_path: Path, shipped: Path) -> None:
    own = f"{DEFAULT_PROFILE}+security={LOG_INS}"
    cell = replace(CELL, scenario="auth/wrong-password", profile=own)
    with_tls = replace(cell, version="1.43.2", profile=f"{DEFAULT_PROFILE}+security=SASL_SSL/PLAIN")
    publish(shipped, settled(cell, Outcome.STUCK), settled(with_tls, Outcome.STUCK))
    assert "auth/wrong-password: stops silently" in look(tmp_path, "sarama@1.43.3").stdout
    of_other = look(tmp_path, "sarama@1.43.2").stdout
    assert "not measured; by 1.43.3" in of_other
    assert "SASL_SSL/PLAIN" not in of_other, "measured with another security, so the release beside it answers"


@pytest.mark.parametrize("pattern", ["*", "auth/*", "tls/*", "close-during/net/idle-closed"])
def test_look_ups_know_the_own_profile_of_every_scenario(pattern: str) -> None:
    for scenario in select_scenarios([pattern]):
        assert profile_of(scenario.name) == scenario.profile, scenario.name
        assert security_of(scenario.name) == scenario.security, scenario.name
