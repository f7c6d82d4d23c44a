"""docs/verdicts.md matches the code: table, outcomes, facts and bounds."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from probe.catalogue.known_results import read_known
from probe.cli.commands.verify import KNOWN
from probe.model import Facts, Outcome, PhaseClock, Role, Trigger, Workload
from probe.model.conditions import CHANGES, ConditionsChange
from probe.model.outcomes import OUTCOMES
from probe.verdict import RULES, STALL_MS
from probe.verdict.phases import LONGEST_MS
from probe.verdict.progress import GRACE_MS, MAX_GRACE_WATCH_MS
from probe.verdict.refresh_schedule import MIN_INTERVALS, SHORTEST_US, TOLERANCE_US
from probe.verdict.route import RESCUERS
from probe.verdict.timeline import SLACK_US
from probe.verdict.triggers import ELIMINATION

PAGE = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text()
ROW = re.compile(r"^\| (\d+) \| (.+) \| `(\w+)` (\S+) \|$", re.MULTILINE)


def test_the_documented_table_matches_the_code() -> None:
    """After a change of the rules, copy the rows that this test shows."""
    documented = [(int(row), when, outcome, glyph) for row, when, outcome, glyph in ROW.findall(PAGE)]
    assert documented == [(rule.row, rule.when, str(rule.outcome), OUTCOMES[rule.outcome].symbol) for rule in RULES]


def test_the_rules_have_all_rows() -> None:
    assert sorted({rule.row for rule in RULES}) == list(range(1, 17))
    assert RULES[-1].when == "otherwise"


def test_reports_as_known_results_are_known_results() -> None:
    """Each of the 35 reports names its entries, or its reason is among those that no cell shows."""
    shown, rest = PAGE[PAGE.index("## Reports as known results") :].split("## Reports that no cell shows")
    rows = [line.split(" | ") for line in shown.splitlines() if line.startswith("| ") and "known result |" not in line]
    known = {item.id for item in read_known(KNOWN)}
    named = [set(re.findall(r"`([^`]+)`", row[2])) for row in rows]
    assert set().union(*named) <= known
    assert (len(rows), sum(map(bool, named))) == (35, 28)
    reasons = rest[: rest.index("\n## ")]
    lacking = [row[0].removeprefix("| ").split(",")[0] for row, ids in zip(rows, named, strict=True) if not ids]
    assert [report for report in lacking if report not in reasons] == []


def test_the_documented_conditions_match_the_table() -> None:
    """After a change of the conditions, copy the rows that this test shows."""
    section = PAGE[PAGE.index("## Numbers of the conditions") :]
    table = section[section.index("|---") :].split("\n\n")[0]
    assert table.splitlines()[1:] == [_row(change) for change in CHANGES]


def _row(change: ConditionsChange) -> str:
    lines = " ".join(
        [*(["from", change.since] if change.since else []), *(["up to", change.until] if change.until else [])]
    )
    roles = "all" if change.roles == set(Role) else ", ".join(role for role in Role if role in change.roles)
    workloads = "all" if change.workloads == set(Workload) else ", ".join(sorted(change.workloads))
    parts = (change.number, change.engine, change.text, lines or "all", roles, workloads)
    return f"| {' | '.join(map(str, parts))} |"


def test_every_outcome_is_documented() -> None:
    assert [outcome for outcome in Outcome if f"`{outcome}`" not in PAGE] == []
    assert set(OUTCOMES) == set(Outcome)


def test_the_documented_facts_are_exactly_the_facts() -> None:
    table = PAGE[PAGE.index("| fact |") :].split("\n\n")[0]
    names = {
        name for line in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", line)
    }
    assert names == {field.name for field in fields(Facts)}


def test_triggers_are_in_the_order_of_elimination() -> None:
    documented = re.findall(r"^\d\. `(\w+)`", PAGE, re.MULTILINE)
    assert documented == [*(str(trigger) for trigger, _ in ELIMINATION), "unknown"]
    assert set(documented) | {"none"} == {str(trigger) for trigger in Trigger}


def test_every_rescuer_is_documented() -> None:
    for rescuer in {*RESCUERS.values(), "unknown", "itself"}:
        assert f"`{rescuer}`" in PAGE


@pytest.mark.parametrize(
    "sentence",
    [
        f"loop stall above {STALL_MS} ms",
        f"up to {SLACK_US // 1000} ms before `fault_on`",
        f"the tolerance is {TOLERANCE_US // 1000} ms",
        f"gaps of at least {SHORTEST_US // 1000} ms",
        {3: "three"}[MIN_INTERVALS] + " equal gaps",
        f"prompt + {GRACE_MS // 1000} s",
        f"min(watch, {MAX_GRACE_WATCH_MS // 1000} s)",
    ],
)
def test_documented_bounds_match_the_code(sentence: str) -> None:
    assert sentence in " ".join(PAGE.split())


def test_the_documented_clocks_are_those_of_phases() -> None:
    part = PAGE.split("### Phases")[1].split("\n## ")[0]
    assert {clock for clock in PhaseClock if clock} == set(re.findall(r"^   \| `(\w+)` \|", part, re.MULTILINE))
    assert f"at most {LONGEST_MS // 1000} s" in part
