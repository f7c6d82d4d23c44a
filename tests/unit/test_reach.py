"""Scenarios with an error that no request of a client can receive are skipped with the reason."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.cli.wiring.request_versions import with_versions
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Outcome, Role
from probe.protocol.definitions import Field
from probe.scenarios.error_answers import ANSWERS, NEEDS_EPOCH, find_api
from probe.scenarios.reach import LEADER_EPOCH_SINCE, Versions, depends_on_version, out_of_reach
from probe.scenarios.scenario import RoleVariant
from tests.support.protocol_wire import schemas
from tests.support.synthetic_rows import CELL, create, history, verdict

FENCED = "answer/fetch/FENCED_LEADER_EPOCH"
READER = replace(CELL, role=Role.CONSUMER, scenario="steady")


def part(scenario: str, role: Role = Role.CONSUMER) -> RoleVariant:
    (item,) = select_scenarios([scenario])
    found = item.variant(role)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("scenario", "role", "versions", "says"),
    [
        (FENCED, Role.CONSUMER, {"Fetch": 8}, "Fetch carries a leader epoch only from version 9 on; .* version 8"),
        (FENCED, Role.CONSUMER, {"Fetch": 9}, ""),
        (FENCED, Role.CONSUMER, {"Metadata": 1}, ""),
        (FENCED, Role.CONSUMER, {}, ""),
        ("blip/list-offsets/UNKNOWN_LEADER_EPOCH", Role.ADMIN, {"ListOffsets": 3}, "from version 4 on"),
        ("blip/offset-for-leader-epoch/UNKNOWN_LEADER_EPOCH", Role.CONSUMER, {"OffsetForLeaderEpoch": 1}, "version 2"),
        ("blip/produce/FENCED_LEADER_EPOCH", Role.PRODUCER, {}, "Produce requests carry none in any version"),
        (
            "answer/produce/UNKNOWN_TOPIC_ID",
            Role.PRODUCER,
            {"Produce": 12},
            "answered UNKNOWN_TOPIC_ID only from .* 13",
        ),
        ("answer/produce/NOT_LEADER_OR_FOLLOWER", Role.PRODUCER, {"Produce": 0}, ""),
        ("start-during/" + FENCED, Role.CONSUMER, {"Fetch": 4}, "version 9"),
    ],
)
def test_the_reason_names_the_required_version(scenario: str, role: Role, versions: Versions, says: str) -> None:
    found = out_of_reach(part(scenario, role), versions)
    assert re.search(says, found) if says else found == ""


def test_the_table_agrees_with_the_definitions_of_kafka() -> None:
    old, new = schemas().jars
    for api, since in LEADER_EPOCH_SINCE.items():
        fields = {version: _epochs(api, version, (old, new)) for version in (since - 1, since)}
        assert fields == {since - 1: False, since: True}, api
    lines = [item for item in ANSWERS if item.code in NEEDS_EPOCH]
    assert lines
    for line in lines:
        api_of = find_api(line.api)
        assert api_of is not None
        assert LEADER_EPOCH_SINCE[api_of.key] == line.since


def _epochs(api: int, version: int, jars: object) -> bool:
    found = [jar.message(api, "Request") for jar in jars]  # type: ignore[attr-defined]  # jars of definitions
    fields = [field for message in found if message is not None for field in _all(message.fields)]
    return any(field.name == "CurrentLeaderEpoch" and version in field.versions for field in fields)


def _all(fields: tuple[Field, ...]) -> list[Field]:
    return [one for field in fields for one in (field, *_all(field.fields))]


def test_default_scenarios_of_the_default_line_do_not_depend_on_versions() -> None:
    """A plan of the default catalogue therefore needs no stored results."""
    parts = [one for item in default_scenarios().values() if not item.since for one in item.variants]
    assert not any(map(depends_on_version, parts))


def stored(folder: Path, *trials: tuple[str, Outcome, int]) -> str:
    with create(folder) as store:
        for number, (scenario, outcome, version) in enumerate(trials):
            cell = replace(READER, scenario=scenario)
            store.add(history(cell, number), verdict(outcome, api_versions=(("Fetch", version),)))
    return str(folder)


def asked(scenario: str = FENCED) -> RunSelection:
    return RunSelection(clients=[str(CELL.client)], scenarios=[scenario], roles=[Role.CONSUMER], seed=1)


def test_versions_are_taken_from_stored_trials(tmp_path: Path) -> None:
    results = stored(tmp_path, ("steady", Outcome.CLEAN, 4), ("net/reset", Outcome.LATE, 7))
    plan, _ = asked().whole(results)
    assert [item.cell.scenario for item in plan.cells] == ["steady"]
    assert [(skip.cell.scenario, "version 7" in skip.reason) for skip in plan.skips] == [(FENCED, True)]
    for other in (asked().whole(), asked().whole(str(tmp_path / "nothing"))):
        assert FENCED in {item.cell.scenario for item in other[0].cells}


@pytest.mark.parametrize("trial", [("steady", Outcome.BROKEN, 4), ("api/unsupported", Outcome.LATE, 4)])
def test_trials_with_unusual_versions_do_not_count(tmp_path: Path, trial: tuple[str, Outcome, int]) -> None:
    plan, _ = asked().whole(stored(tmp_path, trial))
    assert FENCED in {item.cell.scenario for item in plan.cells}


def test_results_are_read_only_if_a_version_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.store.trials", lambda *_, **__: pytest.fail("results are read"))
    _, selection = asked("net/reset").whole()
    assert with_versions(selection, str(tmp_path)) is selection
