"""The first line of a look-up: in which roles a version may stay, and what instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.answer_context import Asking
from probe.cells.audit import Fault, Finding, examine
from probe.cells.levels import RoleLevel
from probe.cells.targets import Target
from probe.cli.answers.short_answer import NOT_MEASURED, in_short
from probe.model import Cell, Outcome, Role
from tests.support.synthetic_rows import CELL, settled_cell, verdict

DISK = CELL
HANG, KILL = (replace(CELL, scenario=name) for name in ("broker/hang", "broker/kill"))
ADMIN = replace(CELL, role=Role.ADMIN, scenario="controller/moved")


@dataclass(frozen=True)
class Ways:
    """Remedies, of which a test states the mending versions."""

    mending: Mapping[Cell, str] = field(default_factory=dict)
    worse: tuple[Cell, ...] = ()
    lacking: int = 0
    helping: Mapping[Cell, str] = field(default_factory=dict)
    restarting: Mapping[Cell, bool] = field(default_factory=dict)

    @property
    def targets(self) -> Mapping[Cell, Target]:
        return {cell: Target(version, self.worse, self.lacking) for cell, version in self.mending.items()}


def faults(*items: SettledCell) -> list[Fault]:
    stored = {item.cell: item for item in items}
    return [*examine(stored, stored)]


NAMES = ("broker/rolling", "net/reset", "net/slow", "net/blackhole")
ONE = "on the embedded engine"


def level(role: Role = Role.PRODUCER, known: int = 15, of: int = 15) -> RoleLevel:
    lacking = (*NAMES, *map(str, range(of)))[: of - known]
    return RoleLevel(role=role, known=known, of=of, lacking=lacking)


STUCK, GOOD = settled_cell(DISK, *[Outcome.STUCK] * 5), settled_cell(HANG, *[Outcome.REFRESHES] * 5)
SOME = settled_cell(HANG, Outcome.STUCK, *[Outcome.REFRESHES] * 11)
ONCE = settled_cell(DISK, Outcome.STUCK)
OFTEN = settled_cell(HANG, *[Outcome.STUCK] * 9, *[Outcome.REFRESHES] * 11)
LOST = replace(
    settled_cell(KILL, Outcome.REFRESHES),
    verdicts=(verdict(lost=3, acked=90),) * 5,
    writes="acks=1, its default; more",
)


@pytest.mark.parametrize(
    ("found", "mending", "words"),
    [
        ([GOOD], {}, "may stay as producer"),
        ([STUCK, GOOD], {DISK: "1.43.3"}, "not as producer; 1.43.3 mends 1 of 1 fault"),
        ([STUCK], {}, "not as producer; no released version is known to mend it (ask)"),
        ([SOME], {HANG: "1.44.0"}, f"perhaps not as producer (in 1 of 12 trials {ONE}); 1.44.0 mends 1 of 1 fault"),
        ([OFTEN], {HANG: "1.44.0"}, f"not as producer (in 9 of 20 trials {ONE}); 1.44.0 mends 1 of 1 fault"),
        ([ONCE], {DISK: "1.43.3"}, f"not as producer (in 1 trial {ONE}); 1.43.3 mends 1 of 1 fault"),
        ([LOST], {}, "not as producer unless it writes with acks=all; acks=all mends 1 of 1 fault"),
        ([STUCK, LOST], {DISK: "1.43.3"}, "not as producer; 1.43.3 mends 1 of 2 faults, acks=all mends 1 of 2 faults"),
        (
            [STUCK, SOME],
            {DISK: "1.43.3"},
            "not as producer; 1.43.3 mends 1 of 2 faults, no released version is known to mend 1 of 2 faults (ask)",
        ),
    ],
)
def test_a_version_may_stay_where_nothing_stops_or_loses_work(
    found: list[SettledCell], mending: dict[Cell, str], words: str
) -> None:
    assert in_short(faults(*found), [level()], Ways(mending), Asking(otherwise="ask")) == words


def test_a_version_of_the_library_inside_is_named_as_it_is_installed() -> None:
    inside = Asking(named=lambda cell, version: f"beats 9.0 with {cell.family} {version}")
    assert in_short(faults(STUCK), [level()], Ways({DISK: "1.43.3"}), inside) == (
        "not as producer; beats 9.0 with sarama 1.43.3 mends 1 of 1 fault"
    )


def test_a_role_of_which_little_was_measured_is_not_known() -> None:
    levels = [level(known=14), level(Role.GROUP, 3, 18), level(Role.ADMIN, 1, 4)]
    admin = settled_cell(ADMIN, Outcome.STUCK)
    assert in_short(faults(GOOD, admin), levels, Ways()) == (
        "may stay as producer (14 of 15 measured, not broker/rolling), not known as group (3 of 18 measured)"
    )
    group = replace(faults(STUCK)[0], cell=replace(DISK, role=Role.GROUP), finding=Finding.SUSPECTED)
    near = Asking(measured="measured near it: 1.43.3")
    assert in_short([*faults(GOOD), group], levels, Ways(), near) == (
        "may stay as producer (14 of 15 measured, not broker/rolling), not known as group (3 of 18 measured); what "
        "answers in its place stops or loses work as group; measured near it: 1.43.3"
    )


def test_a_release_that_was_not_measured_is_answered_by_those_beside_it_and_that_is_said() -> None:
    (one,) = faults(STUCK)
    beside = replace(one, finding=Finding.LIKELY_STOPS)
    near = Asking(measured="measured near it: 1.43.3")
    assert in_short([beside], [level(known=0)], Ways(), near) == (
        f"{NOT_MEASURED}; what answers in its place stops or loses work as producer; measured near it: 1.43.3"
    )
    (fine, lost) = (replace(one, finding=Finding.SUSPECTED_FINE) for one in faults(GOOD, LOST))
    assert in_short([fine], [], Ways()) == (
        f"{NOT_MEASURED}; in the scored scenarios what answers in its place neither stops nor loses work"
    )
    assert in_short([fine, lost], [], Ways()) == (
        f"{NOT_MEASURED}; what answers in its place loses records as producer unless it writes with acks=all"
    )
    assert not in_short([], [], Ways())


def test_what_is_not_scored_changes_nothing() -> None:
    beside = settled_cell(replace(CELL, scenario="topic/recreated"), Outcome.STUCK)
    assert in_short(faults(GOOD, beside), [level()], Ways()) == "may stay as producer"


def beside(item: SettledCell, finding: Finding = Finding.SUSPECTED, version: str = "1.43.1") -> Fault:
    """Return what a release shows of another one, which was not measured in that cell."""
    (one,) = faults(item)
    return replace(one, cell=replace(one.cell, version=version), finding=finding, stand_in="by it")


def test_what_was_not_measured_is_named_and_by_how_few_trials_the_rest_is_said() -> None:
    few = settled_cell(HANG, Outcome.REFRESHES)
    assert in_short(faults(few), [level(known=12)], Ways()) == (
        f"may stay, by 1 trial a scenario {ONE}, as producer (12 of 15 measured, not broker/rolling, net/reset, "
        "net/slow)"
    )
    more = replace(level(known=10), undecided=("broker/kill",), lacking=(*NAMES, "net/x")[:4])
    assert in_short(faults(GOOD, settled_cell(KILL, Outcome.REFRESHES)), [more], Ways()) == (
        f"may stay, by as few as 1 trial a scenario {ONE}, as producer (10 of 15 measured, not broker/rolling, "
        "net/reset, net/slow and 1 more; undecided broker/kill)"
    )
    settled = replace(level(), low=2, high=2)
    assert in_short(faults(few), [settled], Ways()) == "may stay as producer", "a level has enough trials"


def test_what_releases_around_it_go_on_in_is_said() -> None:
    rolling = settled_cell(replace(CELL, scenario="broker/rolling"), Outcome.REFRESHES)
    found = [*faults(GOOD), beside(rolling, Finding.SUSPECTED_FINE)]
    assert in_short(found, [level(known=14)], Ways()) == (
        "may stay as producer (14 of 15 measured, not broker/rolling, where those around it go on)"
    )


@pytest.mark.parametrize("finding", [Finding.SUSPECTED, Finding.LIKELY_STOPS, Finding.LIKELY_FAILS])
def test_less_that_was_measured_does_not_read_as_better(finding: Finding) -> None:
    """A release without the cell in which those around it stop or lose work may not stay for that."""
    levels = [level(known=14), level(Role.GROUP)]
    assert in_short([*faults(GOOD), beside(LOST, finding)], levels, Ways()) == (
        "may stay as group, perhaps not as producer (suspected, as in 1.43.3: loses in broker/kill unless it writes "
        "with acks=all; not measured of it)"
    )
    assert in_short([*faults(GOOD), beside(STUCK, finding)], levels, Ways()) == (
        "may stay as group, perhaps not as producer (suspected, as in 1.43.3: stops in disk/storage-error; not "
        "measured of it)"
    )
    sure = in_short([*faults(OFTEN), beside(LOST, finding)], levels, Ways())
    assert sure.startswith(f"may stay as group, not as producer (in 9 of 20 trials {ONE}); no released version")


def test_a_release_to_go_to_says_that_less_was_measured_of_it() -> None:
    less = Ways({DISK: "1.43.3"}, lacking=7)
    assert in_short(faults(STUCK), [level()], less) == (
        "not as producer; 1.43.3 mends 1 of 1 fault (7 cells in which this one goes on were not measured of it)"
    )
