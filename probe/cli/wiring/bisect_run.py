"""The candidates of `probe bisect`, and the one run that tries them."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from probe.catalogue.families import CatalogueError, Family
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell, merged, settle
from probe.cells.bisect import of_one_time
from probe.cli.console.older_conditions import say_older
from probe.cli.console.streams import say
from probe.cli.laboratory import need_laboratory
from probe.cli.wiring.catalogue import choose_clients
from probe.cli.wiring.evidence import Evidence, say_differing
from probe.cli.wiring.exclusive_run import exclusive_run
from probe.drivers.provision import releases
from probe.errors import ExhaustedError, InterruptedRunError, ProvisionError
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Outcome
from probe.model.outcomes import UNSETTLED
from probe.model.versions import version_key
from probe.planning.plan import Plan, Planned, make_plan
from probe.planning.selection import Selection
from probe.runner import Options
from probe.verdict import RULES_VERSION

if TYPE_CHECKING:
    from probe.cli.wiring.engines import BuiltEngine
    from probe.store import RunStore, TrialRow

NOT_COMPARED = "they are not compared, and run again where they are needed"
COMPARED_ALONE = "they are compared with each other only; `probe run` measures them again"
RELEASE = re.compile(r"\d+(\.\d+)+")
"""No alpha, beta, rc, or milestone."""


@dataclass
class BisectState:
    """The candidate versions, their known results, and how each is run."""

    family: Family
    cell: Cell
    """The cell to bisect; its version has no meaning."""
    selection: Selection
    versions: list[str]
    """Ascending. An unlisted release has its artifact's version until it is obtained."""
    played: dict[str, tuple[Planned, ...]]
    """The cell and its control cell, by version."""
    absent: dict[str, str] = field(default_factory=dict)
    """The reasons why versions cannot be obtained or run."""
    known: dict[str, SettledCell] = field(default_factory=dict)
    others: dict[str, SettledCell] = field(default_factory=dict)
    """Results of versions under other conditions, which are not compared with `known`."""
    _releases: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def of(self, version: str) -> Cell:
        """Return the cell of a version."""
        return replace(self.cell, version=version)

    def widen(self, after: str, before: str) -> bool:
        """Add the registry's releases between two versions; return whether there were new ones."""
        low, high = self._artifact(after), self._artifact(before)
        there = self._released(low, high)
        fresh = [name for name in there if version_key(low) < version_key(name) < version_key(high)]
        fresh = sorted(set(fresh) - {*self.versions, *self.absent, *self._pinned()}, key=version_key)
        if fresh:
            self.versions += fresh
            self._sort()
            say(f"the registry has unlisted releases between {after} and {before}: {', '.join(fresh)}")
        return bool(fresh)

    def learn(self, stored: Iterable[SettledCell]) -> None:
        """Add stored results; unlisted versions with results become candidates, too."""
        low, high = (version_key(name) for name in (self.versions[0], self.versions[-1]))
        for item in stored:
            name = item.cell.version
            if name not in self.versions and RELEASE.fullmatch(name) and low < version_key(name) < high:
                self.versions.append(name)
            if name in self.versions:
                self.known[name] = item
        self._sort()

    def _sort(self) -> None:
        self.versions.sort(key=lambda name: version_key(self._artifact(name)))

    def bring(self, version: str) -> str | None:
        """Obtain a version and return the one that the library reports; None if that fails."""
        if version in self.played:
            return version
        try:
            (chosen,) = choose_clients([f"{self.family.family}@{version}"])
        except (CatalogueError, ProvisionError) as error:
            self._leave_out(version, str(error))
            return None
        name = chosen.version.version
        cells, reason = played(self.selection, chosen, self.cell)
        if name != version and name in self.versions:
            cells, reason = (), f"it carries {name}"
        if not cells:
            self._leave_out(version, reason)
            return None
        self.versions[self.versions.index(version)] = name
        self.played[name] = cells
        return name

    def _leave_out(self, version: str, reason: str) -> None:
        self.absent[version] = reason
        say(f"{self.family.family} {version} is left out: {reason}")

    def _artifact(self, version: str) -> str:
        """Return the artifact's version, which orders releases; a local build has the one it reports."""
        found = self.played[version][0].chosen.version.pinned_artifact if version in self.played else version
        return found if RELEASE.match(found) else version

    def _pinned(self) -> set[str]:
        return {item.pinned_artifact for item in self.family.versions} | {self._artifact(name) for name in self.played}

    def _released(self, low: str, high: str) -> list[str]:
        if (low, high) not in self._releases:
            try:
                found = [name for name in releases(self.family, low, high) if RELEASE.fullmatch(name)]
            except ProvisionError as error:
                say(f"trying listed versions only: {error}")
                found = []
            self._releases[low, high] = found
        return self._releases[low, high]


def played(selection: Selection, chosen: Chosen, wanted: Cell) -> tuple[tuple[Planned, ...], str]:
    """Return the cell of one version with its control cell, or nothing and the reason."""
    plan = make_plan(replace(selection, clients=(chosen,)))
    if any(item.cell.scenario == wanted.scenario for item in plan.cells):
        return plan.cells, ""
    reasons = (skip.reason for skip in plan.skips if skip.cell.scenario == wanted.scenario)
    return (), next(reasons, f"{wanted.scenario} has no role {wanted.role}")


class BisectRunner:
    """Runs versions, all in one stored run that begins with the first of them."""

    def __init__(self, results: str, options: Options, *, fresh: bool) -> None:
        self._results, self._options, self._fresh = results, options, fresh
        self._stack = contextlib.ExitStack()
        self._store: RunStore | None = None
        self._known: dict[Cell, SettledCell] = {}
        self.asked: dict[str, int] = {}
        """Requested trials, by version."""
        self.trials = 0
        """Judged trials, without control cells."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if self._store is not None:
            from probe.cli.wiring.settled_cells import keep_settled  # noqa: PLC0415  # loads pyarrow

            keep_settled(self._results)

    @property
    def run_id(self) -> str:
        """The identifier of the run; empty before the first trial."""
        return self._store.run_id if self._store else ""

    def recall(self, state: BisectState, evidence: Evidence, *, no_run: bool = False) -> None:
        """Read what is known of the cell by the current rules, under conditions comparable with today's.

        With `no_run` nothing can be measured anew, so older rules and conditions count, too.
        """
        if self._fresh:
            return
        wanted = replace(Wanted.of([state.cell]), version=None)
        known = [item for item in evidence.find(wanted).values() if item.outcome is not Outcome.NOT_RUN]
        ends = [version_key(state.versions[place]) for place in (0, -1)]
        known = [item for item in known if ends[0] <= version_key(item.cell.version) <= ends[1]]
        found = known if no_run else [item for item in known if item.rules >= RULES_VERSION]
        older = [item.cell for item in found if not item.is_current]
        say_older(older, COMPARED_ALONE if no_run else NOT_COMPARED)
        say_differing(found)
        kept = of_one_time(found) if no_run else [item for item in found if item.is_current]
        self._known = {item.cell: item for item in kept}
        state.others = {item.cell.version: item for item in found if item.cell not in self._known and item.judged}
        state.learn(item for item in self._known.values() if item.outcome not in UNSETTLED)

    def play(self, state: BisectState, versions: Sequence[str], count: int) -> list[str]:
        """Run versions, `count` trials each, and read the results; return the versions that could be run."""
        need_laboratory("running versions")
        from probe.cli.wiring.execution import execute, prepare_run  # noqa: PLC0415  # loads the laboratory

        names = [name for item in versions if (name := state.bring(item))]
        if not names:
            return []
        work = [replace(item, trials=_times(item, count)) for name in names for item in state.played[name]]
        work.sort(key=lambda item: not item.is_control)
        plan = Plan(tuple(work), ())
        ready = prepare_run(plan, [item.chosen for item in work if item.is_control])
        state.absent.update({client.version: reason for client, reason in ready.absent.items()})
        store = self._open(ready.engine, state.selection.seed)
        try:
            execute(plan, ready, self._options, self._results, store, _outcomes(state))
        except InterruptedRunError as error:
            text = "interrupted; judged trials are stored, and the same command continues from there"
            raise InterruptedRunError(text, error.exit_code - 128) from None
        except ExhaustedError as error:
            text = "judged trials are stored, and the same command continues from there"
            raise ExhaustedError(error.reason, text) from error
        store.flush()
        self._learn(state, names)
        self.asked.update(dict.fromkeys(names, count))
        return [name for name in names if name not in state.absent]

    def _open(self, engine: BuiltEngine, seed: int) -> RunStore:
        from probe.store import RunStore  # noqa: PLC0415  # loads pyarrow

        if self._store is None:
            self._stack.enter_context(exclusive_run(self._results))
            begun = RunStore.create(self._results, command=sys.argv, seed=seed, versions=engine.describe())
            self._store = self._stack.enter_context(begun)
        return self._store

    def _learn(self, state: BisectState, names: Iterable[str]) -> None:
        from probe.store import trials  # noqa: PLC0415  # loads pyarrow

        own = [row for row in trials(self._results, self.run_id) if _asks(row, state)]
        self.trials = len(own)
        found = merged(self._known, settle(own))
        for name in names:
            if name in state.absent:
                continue
            settled = found.get(state.of(name))
            if settled is None:
                state.absent[name] = "no trial of it was stored"
            else:
                state.known[name] = settled


def _asks(row: TrialRow, state: BisectState) -> bool:
    return row.cell == state.of(row.cell.version) and row.verdict.outcome is not Outcome.NOT_RUN


def _outcomes(state: BisectState) -> dict[Cell, frozenset[Outcome]]:
    return {state.of(name): frozenset(settled.votes) for name, settled in state.known.items() if settled.judged}


def _times(item: Planned, count: int) -> int:
    return 1 if item.is_control else count


def summary_of(settled: SettledCell) -> str:
    """Return outcome, conformity and number of trials of a version as text."""
    judged: Mapping[bool | None, str] = {True: ", conforms", False: ", does not conform", None: ""}
    count = len(settled.verdicts)
    return f"{settled.tally}{judged[settled.conforms]} ({count} trial{'s' if count > 1 else ''})"
