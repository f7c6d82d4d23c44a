"""The commands of docs/incidents.md, played on real brokers, and their outcomes compared with the page's tables.

    python benchmarks/incidents.py RESULTS [--only a1 ...] [--times 2] [--write] [--list]

A command is a fenced block that begins with `probe run`; its name is the letter of its section and its place there
(`a1`). It is played as it stands, TIMES times, each run in a folder of its own below RESULTS, and goes on where it was
interrupted. The table that follows the command, with the columns `TABLE`, has the outcomes that trials had: trials with
another one are listed, with exit code 1. Cells that the table lacks are counted. Runs with conditions that are no
longer today's are left out and played anew. `--write` writes the tables of what RESULTS holds.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.cli.console.streams import OUT, say
from probe.model import CONTROL, Cell, Outcome, Role
from probe.model.conditions import is_current
from probe.store import TrialRow, runs, trials

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "incidents.md"
TABLE = ("scenario", "broker", "client", "role", "profile", "outcomes", "longest outage", "errors shown", "lost")
"""Columns of the table of a command; the first five say which cells a row has, the last four are of its trials."""
KEYS = 5
_SECTION = re.compile(r"^## (\w)\. .*$", re.MULTILINE)
_BLOCK = re.compile(r"^```\n(probe run .*?)^```\n", re.MULTILINE | re.DOTALL)
_HEAD = f"| {' | '.join(TABLE)} |\n"
_TABLE = re.compile(rf"\n?^{re.escape(_HEAD)}(?:^\|.*\|\n)*", re.MULTILINE)
_WORD = re.compile(r"`([\w-]+)`")
_PRINTED = 12
"""Differences of one command that are printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table: the cells that it has, and the outcomes of their trials."""

    scenario: str
    broker: str
    client: str
    """Such as `sarama@1.43.2`."""
    roles: tuple[str, ...]
    profiles: tuple[str, ...]
    outcomes: frozenset[str]

    def has(self, cell: Cell) -> bool:
        """Return whether a cell is one of this row's."""
        same = (cell.scenario, cell.broker, str(cell.client)) == (self.scenario, self.broker, self.client)
        return same and cell.role in self.roles and cell.profile in self.profiles


class Place(NamedTuple):
    """The columns that all trials of a row have in common."""

    scenario: str
    broker: str
    client: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the page and the rows of its table."""

    name: str
    arguments: tuple[str, ...]
    """Words behind `probe`."""
    rows: tuple[Row, ...]
    end: int
    """Place of the page behind the block, where the table begins."""


def main() -> int:
    """Play, compare, print; return the exit code."""
    options = _options()
    page = PAGE.read_text()
    every = list(commands(page))
    if options.list:
        for one in every:
            OUT.print(f"{one.name}: probe {shlex.join(one.arguments)}", markup=False)
        return 0
    asked = [one for one in every if not options.only or one.name in options.only]
    differ = 0
    for one in asked:
        for time in range(options.times):
            play(one, options.results / f"{one.name}-{time + 1}")
        rows = played(options.results, one)
        found = list(differences(one, rows))
        differ += len(found)
        new = absent(one, rows)
        text = f"{one.name}: {len(rows)} trials, {len(found)} of them differ from {PAGE.name}; it lacks {new} cells"
        OUT.print(text, markup=False)
        for line in found[:_PRINTED]:
            OUT.print(f"  {line}", markup=False)
    if options.write:
        PAGE.write_text(written(page, {one.name: played(options.results, one) for one in asked}))
        return 0
    return 1 if differ else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", action="append", help="name of a command; may be repeated")
    parser.add_argument("--times", type=int, default=2, help="runs of each command")
    parser.add_argument("--write", action="store_true", help="write the page's tables from all runs of RESULTS")
    parser.add_argument("--list", action="store_true", help="list the commands, and play none")
    return parser.parse_args()


def commands(page: str) -> Iterator[Command]:
    """Yield the commands of a page with the rows of the table behind each."""
    letters = [(found.start(), found[1]) for found in _SECTION.finditer(page)]
    counts = Counter[str]()
    for found in _BLOCK.finditer(page):
        letter = [name for start, name in letters if start < found.start()][-1]
        counts[letter] += 1
        table = _TABLE.match(page, found.end())
        yield Command(
            name=f"{letter}{counts[letter]}",
            arguments=tuple(shlex.split(found[1].replace("\\\n", " ")))[1:],
            rows=tuple(_rows(table[0])) if table else (),
            end=found.end(),
        )


def _rows(table: str) -> Iterator[Row]:
    for line in table.strip().splitlines()[2:]:
        scenario, broker, client, roles, profiles, outcomes = (part.strip() for part in line.split("|")[1 : KEYS + 2])
        yield Row(
            scenario=scenario,
            broker=broker,
            client=client,
            roles=tuple(roles.split(", ")),
            profiles=tuple(profiles.split(", ")),
            outcomes=frozenset(_WORD.findall(outcomes)),
        )


def play(command: Command, folder: Path) -> None:
    """Run a command, or the rest of it and its broken trials; a run that ended under today's conditions is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    info = [one for one in runs(str(folder)) if not _outdated(folder, one.run_id)]
    broken = any(row.verdict.outcome is Outcome.BROKEN for row in kept(trials(str(folder))))
    if info and info[-1].finished and not broken:
        return
    say(f"{command.name}: probe {shlex.join(command.arguments)}")
    resumed = ["--resume", info[-1].run_id] if info else []
    ran = [sys.executable, "run.py", "probe", *command.arguments, "--results", str(folder), "--repeat-budget", "0"]
    subprocess.run([*ran, *resumed], cwd=ROOT, check=False)


def _outdated(folder: Path, run_id: str) -> bool:
    found = (row for row in trials(str(folder)) if row.run_id == run_id)
    return any(not is_current(row.cell, row.conditions) for row in found)


def played(results: Path, command: Command) -> list[TrialRow]:
    """Return the trials of a command's runs under today's conditions, without control cells."""
    found = (row for folder in sorted(results.glob(f"{command.name}-*")) for row in kept(trials(str(folder))))
    fit = (row for row in found if row.cell.scenario != CONTROL and is_current(row.cell, row.conditions))
    return [row for row in fit if row.verdict.outcome is not Outcome.NOT_RUN]


def kept(rows: Iterable[TrialRow]) -> list[TrialRow]:
    """Return all trials but broken ones of cells that have another verdict in the same run."""
    every = list(rows)
    judged = {(row.run_id, row.cell) for row in every if row.verdict.outcome is not Outcome.BROKEN}
    return [row for row in every if row.verdict.outcome is not Outcome.BROKEN or (row.run_id, row.cell) not in judged]


def differences(command: Command, rows: Sequence[TrialRow]) -> Iterator[str]:
    """Yield a line for each trial with an outcome that the table does not have for its cell."""
    for row in rows:
        allowed = frozenset[str]().union(*(one.outcomes for one in command.rows if one.has(row.cell)))
        if allowed and row.verdict.outcome not in allowed:
            said = ", ".join(sorted(allowed))
            yield f"{row.cell}: {row.verdict.outcome} ({row.verdict.reason}); the page says {said}"


def absent(command: Command, rows: Sequence[TrialRow]) -> int:
    """Return the number of cells that were played and have no line in the table."""
    return len({row.cell for row in rows if not any(one.has(row.cell) for one in command.rows)})


def written(page: str, found: Mapping[str, Sequence[TrialRow]]) -> str:
    """Return the page with the tables of these trials, per command."""
    for one in reversed(list(commands(page))):
        if found.get(one.name):
            old = _TABLE.match(page, one.end)
            rest = page[old.end() if old else one.end :]
            page = page[: one.end] + "\n" + table(found[one.name]) + rest
    return page


def table(rows: Iterable[TrialRow]) -> str:
    """Return trials as a table: one line for the profiles, and then the roles, of a client with the same outcomes."""
    held = defaultdict[tuple[Place, Role, str], list[TrialRow]](list)
    for row in rows:
        cell = row.cell
        held[Place(cell.scenario, cell.broker, str(cell.client)), cell.role, cell.profile].append(row)
    by_profile = defaultdict[tuple[Place, Role, str], list[str]](list)
    for place, role, profile in sorted(held, key=lambda key: key[2]):
        by_profile[place, role, _outcomes(held[place, role, profile])].append(profile)
    by_role = defaultdict[tuple[Place, tuple[str, ...], str], list[Role]](list)
    for place, role, outcomes in sorted(by_profile, key=lambda key: list(Role).index(key[1])):
        by_role[place, tuple(by_profile[place, role, outcomes]), outcomes].append(role)
    text = [_HEAD + "|" + "---|" * len(TABLE)]
    for (place, profiles, _), roles in sorted(by_role.items()):
        every = [row for role in roles for profile in profiles for row in held[place, role, profile]]
        text.append(f"| {' | '.join([*place, ', '.join(roles), ', '.join(profiles), *_measured(every)])} |")
    return "\n".join(text) + "\n"


def _outcomes(rows: Iterable[TrialRow]) -> str:
    return " ".join(sorted({row.verdict.outcome for row in rows}))


def _measured(rows: Sequence[TrialRow]) -> Iterator[str]:
    """Yield the last columns of `TABLE`: outcomes with their trials, then ranges of facts."""
    counts = Counter(row.verdict.outcome for row in rows).most_common()
    yield ", ".join(f"`{outcome}` {count}" for outcome, count in counts)
    facts = [row.verdict.facts for row in rows]
    yield _range([f"{one.outage_ms / 1000:.1f}" for one in facts if one.outage_ms is not None], " s")
    yield _range([str(one.errors_surfaced) for one in facts], "")
    yield _range([str(one.lost) for one in facts if one.lost is not None], "")


def _range(values: Sequence[str], unit: str) -> str:
    """Return the least and the greatest value as text; empty without a value."""
    least, greatest = (choose(values, key=float, default="") for choose in (min, max))
    text = least if least == greatest else f"{least} to {greatest}"
    return text and text + unit


if __name__ == "__main__":
    sys.exit(main())
