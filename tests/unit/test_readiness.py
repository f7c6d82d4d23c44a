"""Command `audit --for PURPOSE`: may an operator roll the brokers, what will alarm, which service is first."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from probe.catalogue.baseline import baseline
from probe.catalogue.purposes import PURPOSES, Purpose
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, Report, examine
from probe.cells.readiness import May, in_turn, readiness
from probe.cells.role_levels import as_suffered
from probe.cli.app import app
from probe.model import Cell, Facts, Outcome, Role
from tests.support.synthetic_rows import CELL, fill, verdict
from tests.unit.test_audit import SCHEMA

KILL = replace(CELL, scenario="broker/kill")
DEFAULTS = replace(KILL, profile="defaults")
LOST = Facts(lost=3, acked=100)
LONG = Facts(recovery_ms=40_000.0, kept_ms=1_000)


def settled(outcome: Outcome, facts: Facts | None = None, cell: Cell = KILL, chance: str = "") -> SettledCell:
    one = replace(verdict(outcome), facts=facts or Facts())
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(one,), chance=chance)


def fault(item: SettledCell, finding: Finding | None = None) -> Fault:
    (found,) = examine([item.cell], {item.cell: item})
    return replace(found, finding=finding or found.finding)


def report(*faults: Fault, name: str = "orders", count: int = 1) -> Report:
    return Report(name, "sarama@1.43.3", "sarama@1.43.3", count, faults, None)


STOPS = fault(settled(Outcome.STUCK))
HEARD = fault(settled(Outcome.STUCK, Facts(errors_surfaced=1)))
LOSES = fault(settled(Outcome.REFRESHES, LOST))
STALLS = fault(settled(Outcome.LATE, LONG))
BURDENS = fault(settled(Outcome.STORMS, Facts(storm="b")))
ERRORS = fault(settled(Outcome.SURFACES, Facts(errors_surfaced=1)))
FINE = fault(settled(Outcome.REFRESHES, Facts(recovery_ms=400.0)))
MAYBE = fault(settled(Outcome.STUCK), Finding.LIKELY_STOPS)
PERHAPS = fault(settled(Outcome.REFRESHES), Finding.LIKELY_FINE)
OPEN = Fault(KILL, Finding.UNKNOWN, None)


@pytest.mark.parametrize(
    ("faults", "may"),
    [
        ([FINE], May.YES),
        ([STALLS, FINE], May.YES),
        ([BURDENS], May.YES),
        ([ERRORS], May.YES),
        ([STOPS, FINE], May.NO),
        ([LOSES], May.NO),
        ([STOPS, OPEN], May.NO),
        ([FINE, OPEN], May.UNKNOWN),
        ([FINE, MAYBE], May.UNKNOWN),
        ([PERHAPS], May.UNKNOWN),
        ([replace(STOPS, ignored="one disk"), FINE], May.YES),
        ([], May.UNKNOWN),
    ],
)
def test_may_follows_from_what_was_measured(faults: list[Fault], may: May) -> None:
    assert readiness(report(*faults)).may is may


def test_a_client_that_cannot_work_may_not_be_rolled() -> None:
    assert readiness(replace(report(), is_broken=True)).may is May.NO


def test_what_is_likely_is_counted_apart() -> None:
    found = readiness(report(FINE, MAYBE, PERHAPS))
    assert {finding: len(faults) for finding, faults in found.unproven.items()} == {
        Finding.LIKELY_STOPS: 1,
        Finding.LIKELY_FINE: 1,
    }
    assert found.profiles == {"isolated": 1}


def test_what_alarms_is_kept_apart_from_what_is_silent() -> None:
    found = readiness(report(STOPS, LOSES, HEARD, STALLS, ERRORS))
    assert found.silent == (STOPS, LOSES)
    assert found.stalls == (STALLS,)
    assert found.errors == (HEARD, ERRORS)
    assert found.stood_ms == 39_000


def test_a_standstill_is_as_long_as_monitoring_sees_it() -> None:
    whole = fault(settled(Outcome.REFRESHES, Facts(recovered=True, recovery_ms=200.0, still_ms=9_100.0)))
    never = fault(settled(Outcome.STUCK, Facts(recovered=False, still_ms=600_000.0)))
    assert readiness(report(whole, never)).stood_ms == 9_100


def test_a_service_that_is_named_as_its_client_begins_keeps_the_name_of_the_client(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text("service,client,version,role\nsar,sarama,1.61.1,producer\n")
    fill(tmp_path / "results", (replace(CELL, version="1.61.1", scenario="broker/kill"), 0, Outcome.REFRESHES))
    text = audit(fleet, tmp_path / "results", "--for", "rolling", "--workload", "continuous")[0]
    assert " sar, sarama@1.61.1: " in text


def test_services_come_in_the_order_in_which_they_need_attention() -> None:
    reports = {
        "loses": report(LOSES, name="loses"),
        "stops": report(STOPS, name="stops"),
        "stalls, many": report(STALLS, OPEN, name="stalls, many", count=9),
        "stalls": report(STALLS, name="stalls"),
        "burdens": report(BURDENS, name="burdens"),
        "likely stops": report(MAYBE, name="likely stops"),
        "unknown": report(ERRORS, OPEN, name="unknown"),
        "likely fine": report(PERHAPS, name="likely fine"),
        "errors": report(ERRORS, name="errors"),
        "fine": report(FINE, name="fine"),
    }
    ordered = [one.name for one in in_turn([*reports.values()][::-1])]
    assert ordered == [*reports]


@pytest.mark.parametrize(
    ("own", "chosen"),
    [
        (settled(Outcome.REFRESHES, cell=DEFAULTS), DEFAULTS),
        (settled(Outcome.STUCK, cell=DEFAULTS), DEFAULTS),
        (settled(Outcome.BROKEN, cell=DEFAULTS), KILL),
        (settled(Outcome.REFRESHES, cell=DEFAULTS, chance="chance decides"), KILL),
        (None, KILL),
    ],
)
def test_the_defaults_answer_where_they_were_measured(own: SettledCell | None, chosen: Cell) -> None:
    (found,) = as_suffered([STALLS], {own.cell: own} if own else {})
    assert found.cell == chosen


def test_a_refresh_brings_no_lost_record_back() -> None:
    own = settled(Outcome.REFRESHES, cell=DEFAULTS)
    assert as_suffered([LOSES], {own.cell: own}) == (LOSES,)


@pytest.mark.parametrize("purpose", PURPOSES.values(), ids=lambda one: one.name)
def test_a_purpose_asks_what_the_baseline_scores(purpose: Purpose) -> None:
    assert {*purpose.scenarios} <= {*baseline().scenarios}


def audit(fleet: Path, results: Path, *options: str) -> tuple[str, BaseException | None, int]:
    done = CliRunner().invoke(app, ["audit", str(fleet), "--results", str(results), "--evidence", "own", *options])
    return done.stdout, done.exception, getattr(done.exception, "exit_code", done.exit_code)


class TestCommand:
    @pytest.fixture
    def fleet(self, tmp_path: Path) -> Path:
        path = tmp_path / "fleet.csv"
        rows = [f"{name},sarama,{version},producer" for name, version in (("good", "1.61.1"), ("bad", "1.43.2"))]
        path.write_text("\n".join(["service,client,version,role", *rows]))
        return path

    @pytest.fixture
    def results(self, tmp_path: Path) -> Path:
        cells = [
            (replace(CELL, scenario=name), 0, Outcome.REFRESHES) for name in (*PURPOSES["rolling"].scenarios, "steady")
        ]
        good = [(replace(cell, version="1.61.1"), trial, outcome) for cell, trial, outcome in cells]
        bad = [(replace(cell, version="1.43.2"), trial, outcome) for cell, trial, outcome in cells[1:]]
        stuck = replace(KILL, version="1.43.2", scenario=cells[0][0].scenario)
        fill(tmp_path / "results", *good, *bad, (stuck, 0, Outcome.STUCK))
        return tmp_path / "results"

    def test_it_answers_for_each_service_and_fails_by_what_stops(self, fleet: Path, results: Path) -> None:
        text, error, code = audit(fleet, results, "--for", "rolling", "--workload", "continuous")
        assert (code, str(error)) == (1, "1 of 2 services are at risk (stops): bad (sarama@1.43.2)")
        first, _, *lines = text.splitlines()
        assert first.startswith("asked: may I roll my brokers? 4 scenarios (steady, broker/shutdown, broker/rolling")
        assert [line for line in lines if not line.startswith("    ")] == [
            "  no         bad, sarama@1.43.2: stops silently, affected partitions only",
            "  yes        good, sarama@1.61.1: no harm",
            "1 no, 1 yes",
        ]
        assert "no alarm: it stops or loses work, and no error says so, in broker/shutdown (producer)" in text
        assert "before: smallest upgrade: sarama 1.61.1 (1.43.2 is not enough)" in text

    def test_json_follows_its_schema(self, fleet: Path, results: Path) -> None:
        text, _, code = audit(fleet, results, "--for", "rolling", "--workload", "continuous", "--json")
        data = json.loads(text)
        jsonschema.validate(data, json.loads(SCHEMA.read_text()))
        assert (code, data["asked"]["purpose"]) == (1, "rolling")
        found = {one["service"]: one["readiness"] for one in data["services"]}
        assert [(name, one["may"], one["harm"]) for name, one in found.items()] == [
            ("bad", "no", "stops silently"),
            ("good", "yes", "none"),
        ]
        assert found["bad"]["silent"] == "broker/shutdown (producer)"

    @pytest.mark.parametrize("columns", [60, 80, 100])
    def test_lines_fit_a_terminal(
        self, fleet: Path, results: Path, columns: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = audit(fleet, results, "--for", "rolling")[0]
        monkeypatch.setattr("probe.cli.answers.readiness.terminal_columns", lambda: columns)
        narrow = audit(fleet, results, "--for", "rolling")[0]
        least = 16 + max(map(len, whole.split()))
        assert max(map(len, narrow.splitlines())) <= max(columns, least)
        assert narrow.split() == whole.split()

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (("--for", "rolling", "--scenario", "disk/*"), "--for rolling has scenarios of its own; leave out"),
            (("--for", "rollin"), "--for rollin: there is no such purpose; one of rolling"),
        ],
    )
    def test_a_wrong_purpose_is_refused(self, fleet: Path, tmp_path: Path, options: tuple[str, ...], says: str) -> None:
        _, error, code = audit(fleet, tmp_path / "results", *options)
        assert code == 2
        assert says in str(error)

    def test_without_a_purpose_nothing_is_said_of_one(self, fleet: Path, results: Path) -> None:
        data = json.loads(audit(fleet, results, "--json")[0])
        assert data["asked"]["purpose"] == ""
        assert {one["readiness"] for one in data["services"]} == {None}


def test_roles_are_those_that_the_baseline_scores() -> None:
    asked = PURPOSES["rolling"].scenarios
    assert not any(Role.ADMIN in baseline().only_roles[name] for name in asked)
