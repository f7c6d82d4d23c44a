"""Runs of many unlisted releases obtain and play them in groups."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version
from probe.catalogue.selectors import Chosen
from probe.cli.wiring import execution
from probe.cli.wiring.execution import PreparedRun, RunResult, run_planned
from probe.cli.wiring.single_cells import plan_cell
from probe.drivers.claims import FOLDER
from probe.drivers.host import Bound
from probe.drivers.launch import Launch
from probe.files.locks import is_left
from probe.model import Client
from probe.planning.client_groups import UNLISTED, client_groups
from probe.planning.plan import Plan
from probe.runner import Options
from probe.store import RunStore
from tests.support.synthetic_rows import CELL
from tests.support.wheel_registry import toy_family


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return toy_family(tmp_path, [{"version": "1.0"}, {"version": "1.1"}])


def chosen(family: Family, *versions: str) -> list[Chosen]:
    return [Chosen(family, family.find(version) or Version(version=version)) for version in versions]


def test_few_unlisted_releases_are_played_at_once(family: Family) -> None:
    few = chosen(family, "1.0", *(f"2.{number}" for number in range(UNLISTED)), "1.1")
    assert client_groups(few) == [tuple(few)]
    assert client_groups([]) == [()]


def test_many_are_played_in_groups_with_the_listed_ones_in_the_first(family: Family) -> None:
    unlisted = [f"2.{number}" for number in range(2 * UNLISTED + 1)]
    many = chosen(family, "1.0", *unlisted, "1.1")
    groups = client_groups(many)
    assert [len(group) for group in groups] == [UNLISTED + 2, UNLISTED, 1]
    assert {item.version.version for item in groups[0]} >= {"1.0", "1.1"}
    assert sorted(str(item.client) for group in groups for item in group) == sorted(str(item.client) for item in many)


class Played:
    """Stands in for the engine, the registry and the trials; keeps which versions were obtained and played when."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache, self.steps = cache, list[list[str]]()
        monkeypatch.setenv("PROBE_CACHE", str(cache))
        monkeypatch.setattr(execution, "built", lambda *_, **__: self)
        monkeypatch.setattr(execution, "get_clients", self.obtain)
        monkeypatch.setattr(execution, "execute", self.play)

    def describe(self) -> dict[str, str]:
        return {}

    def obtain(self, clients: Sequence[Chosen], _: Any) -> tuple[dict[Client, Bound], dict[Client, str]]:
        return {item.client: Bound(Launch(("toy",), "wheel"), 1) for item in clients}, {}

    def play(self, _: Plan, ready: PreparedRun, __: Options, ___: str, store: RunStore, *____: Any) -> RunResult:
        held = [record for record in (self.cache / FOLDER).iterdir() if not is_left(record)]
        assert sorted(record.name for record in held) == sorted(map(str, ready.bound))
        self.steps.append([str(client) for client in ready.bound])
        return RunResult(store.run_id, {}, dict.fromkeys(ready.bound, "no trial"))


def run_versions(family: Family, results: Path, versions: Sequence[str], options: Options) -> RunResult:
    selection = replace(plan_cell(CELL)[1], clients=tuple(chosen(family, *versions)))
    return run_planned(Plan((), ()), selection, options, str(results))


def test_a_run_claims_one_group_at_a_time(family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(tmp_path / "cache", monkeypatch)
    versions = [f"2.{number}" for number in range(UNLISTED + 2)]
    ran = run_versions(family, tmp_path / "results", versions, Options())
    assert [len(step) for step in played.steps] == [UNLISTED, 2]
    assert sorted(map(str, ran.absent)) == sorted(f"toy@{version}" for version in versions)
    assert all(is_left(record) for record in (tmp_path / "cache" / FOLDER).iterdir())


def test_no_group_begins_after_the_time_budget(family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(tmp_path / "cache", monkeypatch)
    versions = [f"2.{number}" for number in range(UNLISTED + 2)]
    run_versions(family, tmp_path / "results", versions, Options(stop_at=time.monotonic()))
    assert [len(step) for step in played.steps] == [UNLISTED]
