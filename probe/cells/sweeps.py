"""Sweeps: recovery as a function of one thing, from the trials of a run. Pure."""

from __future__ import annotations

import shlex
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from probe.cells.aggregate import JudgedTrial, spelled
from probe.model import CONTROL, Cell, Outcome, Profile, Verdict, Workload
from probe.model.columns import IDENTITY
from probe.model.grades import worst_trial
from probe.model.outcomes import SAY_NOTHING
from probe.model.profile import DEFAULT_PROFILE
from probe.model.sweep import Sweep
from probe.model.versions import version_key


@dataclass(frozen=True, slots=True)
class Step:
    """A client at one of the values."""

    cell: Cell
    value: str
    verdicts: tuple[Verdict, ...]
    """Those of its trials, by number."""

    @property
    def outcomes(self) -> str:
        """The number of trials per outcome, as in the matrix: `surfaces:3;refreshes:2`."""
        return spelled(Counter(one.outcome for one in self.verdicts))

    @property
    def outcome(self) -> Outcome:
        """The outcome on which its trials agree, else `flaky`."""
        return self.verdicts[0].outcome if len({one.outcome for one in self.verdicts}) == 1 else Outcome.FLAKY

    @property
    def worst(self) -> Verdict:
        """The verdict of the worst trial."""
        return worst_trial(self.verdicts)

    @property
    def seen(self) -> tuple[Verdict, ...]:
        """The trials that say something about the client."""
        return tuple(one for one in self.verdicts if one.outcome not in SAY_NOTHING)

    @property
    def recovery_ms(self) -> tuple[float, ...]:
        """The times of the trials that recovered, sorted."""
        return tuple(sorted(one.facts.recovery_ms for one in self.seen if one.facts.recovery_ms is not None))

    @property
    def median_ms(self) -> float | None:
        """The median of these times. None if less than half of the trials recovered."""
        return statistics.median(self.recovery_ms) if len(self.recovery_ms) * 2 >= max(1, len(self.seen)) else None


@dataclass(frozen=True, slots=True)
class Curve:
    """A client in one configuration, at the values of the sweep."""

    name: str
    steps: tuple[Step, ...]
    """One per value that has trials, in the order of the sweep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """Results of one sweep in the trials of a run."""

    run_id: str
    sweep: Sweep
    asked: Cell
    """The common key of all of its cells; family, version and profile are empty."""
    curves: tuple[Curve, ...]

    @property
    def subject(self) -> str:
        """The common key of all cells, in words: scenario and role, and the workload if it is not `continuous`."""
        workload = () if self.asked.workload is Workload.CONTINUOUS else (self.asked.workload,)
        return ", ".join((self.asked.scenario, self.asked.role, *workload))

    @property
    def trials(self) -> int:
        """The most trials at one value."""
        return max((len(step.verdicts) for curve in self.curves for step in curve.steps), default=0)

    @property
    def command(self) -> str:
        """The command that measures it again; added properties are those of the first curve."""
        cells = [curve.steps[0].cell for curve in self.curves]
        profile = self.sweep.base(Profile.parse(cells[0].profile))
        names = dict.fromkeys(self.sweep.base(Profile.parse(cell.profile)).name for cell in cells)
        clients = dict.fromkeys(str(cell.client) for cell in cells)
        parts = [
            *(("--client", client) for client in clients),
            ("--scenario", self.asked.scenario),
            ("--role", self.asked.role),
            *([("--workload", self.asked.workload)] if self.asked.workload is not Workload.CONTINUOUS else []),
            *(("--profile", name) for name in names if len(names) > 1 or name != DEFAULT_PROFILE),
            *(("--property", setting) for setting in profile.settings),
            *((f"--{key}", value) for key, value in profile.own),
            ("--engine", self.asked.engine),
            ("--broker", self.asked.broker),
            ("--over", str(self.sweep)),
            ("--trials", str(self.trials)),
        ]
        return shlex.join(["probe", "sweep", *chain.from_iterable(parts)])


def sweep_results(rows: Iterable[JudgedTrial]) -> list[SweepResult]:
    """Return the sweeps that trials are part of, in the order in which they come; control cells are left out."""
    groups: dict[tuple[str, str, Cell], list[JudgedTrial]] = {}
    for row in rows:
        if row.sweep and row.cell.scenario != CONTROL and row.verdict.outcome is not Outcome.NOT_RUN:
            asked = replace(row.cell, family="", version="", profile="")
            groups.setdefault((row.run_id, row.sweep, asked), []).append(row)
    return [
        SweepResult(run_id=run_id, sweep=(sweep := Sweep.parse(text)), asked=asked, curves=_curves(mine, sweep))
        for (run_id, text, asked), mine in groups.items()
    ]


def _curves(rows: Sequence[JudgedTrial], sweep: Sweep) -> tuple[Curve, ...]:
    cells: dict[Cell, list[JudgedTrial]] = {}
    for row in rows:
        cells.setdefault(row.cell, []).append(row)
    lines: dict[Cell, dict[str, Step]] = {}
    for cell, mine in cells.items():
        profile = Profile.parse(cell.profile)
        verdicts = tuple(row.verdict for row in sorted(mine, key=lambda row: row.trial))
        step = Step(cell, sweep.value(profile), verdicts)
        lines.setdefault(replace(cell, profile=str(sweep.base(profile))), {})[step.value] = step
    ordered = sorted(lines, key=lambda cell: (cell.family, version_key(cell.version), cell.profile))
    return tuple(Curve(_name(cell), _in_order(lines[cell], sweep)) for cell in ordered)


def _in_order(steps: Mapping[str, Step], sweep: Sweep) -> tuple[Step, ...]:
    return tuple(steps[value] for value in sweep.values if value in steps)


def _name(cell: Cell) -> str:
    return f"{cell.family} {cell.version}" + ("" if cell.profile == DEFAULT_PROFILE else f", {cell.profile}")


CSV_COLUMNS = (
    "run_id", *IDENTITY, "over", "value", "trials", "outcomes", "worst", "conforms",
    "recovery_ms_min", "recovery_ms_p50", "recovery_ms_max", "errors_surfaced_max",
)  # fmt: skip
"""The columns of a sweep as CSV: one row per client and value. Times are those of the trials that recovered."""
_CONFORMS = {True: "yes", False: "no", None: ""}


def csv_rows(result: SweepResult) -> Iterator[tuple[str, ...]]:
    """Yield the rows, in the order of `CSV_COLUMNS`; empty = does not apply."""
    for step in (step for curve in result.curves for step in curve.steps):
        times = step.recovery_ms
        found = (times[0], statistics.median(times), times[-1]) if times else (None, None, None)
        yield (
            result.run_id,
            *step.cell.columns().values(),
            result.sweep.name,
            step.value,
            str(len(step.verdicts)),
            step.outcomes,
            str(step.worst.outcome),
            _CONFORMS[step.worst.conforms],
            *("" if ms is None else f"{ms:.0f}" for ms in found),
            str(max(one.facts.errors_surfaced for one in step.verdicts)),
        )
