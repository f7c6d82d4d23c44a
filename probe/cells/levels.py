"""The level of a client in one role, by the scenarios of the baseline (docs/baseline.md). Pure.

0; 1 *survives*: nothing is lost, repeated or stops; 2 *in time*: nothing stalls, and brokers are not burdened; 3
*quiet*: no error reaches the application. A level is that of the library's defaults: it needs all scored scenarios with
profile `defaults`, `TRIALS` each, and on real brokers those that may lose; real ones settle any. Where only `isolated`
is known, the client reacts in some of them, and has no level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from probe.catalogue.baseline import Scored
from probe.catalogue.scenarios import CORE_FAULTS
from probe.model.cell import Role
from probe.model.counts import share as in_some
from probe.model.harm import Harm, TrialHarm, gravest
from probe.model.intervals import Z_90, wilson
from probe.model.roles import UNLEVELLED

NAMES = ("", "survives", "in time", "quiet")
"""The levels in words."""
HIGHEST = 3
TRIALS = 5
"""Trials by which a scenario is settled; where a harm shows in some of them, `MORE` decide."""
MORE = 20
NAMED = 3
"""Scenarios that are named where a level is a range; others are counted."""
SHARE = 0.1
"""A harm counts if its share of trials lies above this with 90 % confidence, and does not if it lies below."""
_HELD: Mapping[Harm, int] = {
    Harm.LOSES: 0,
    Harm.REPEATS: 0,
    Harm.STOPS: 0,
    Harm.STALLS: 1,
    Harm.BURDENS: 1,
    Harm.ERRORS: 2,
    Harm.NONE: HIGHEST,
}
"""The greatest level that a trial with a harm allows."""
Harms = Mapping[str, Sequence[TrialHarm]]
"""The harms of the trials of each scenario; a scenario without trials is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a client in one role."""

    defaults: Harms = field(default_factory=dict)
    """With the library's defaults, on the embedded engine."""
    real: Harms = field(default_factory=dict)
    """The same on real brokers."""
    isolated: Harms = field(default_factory=dict)
    """Without periodic refreshes, on the embedded engine."""
    undecided: frozenset[str] = frozenset()
    """Scenarios that were measured without periodic refreshes, in too few trials to tell, or too long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """A scenario that holds a level back."""

    scenario: str
    harm: TrialHarm
    bad: int
    of: int
    least: int = 0
    """The level to which it holds the client back, if it counts."""

    @property
    def share(self) -> float:
        """Share of trials that show it."""
        return self.bad / self.of

    @property
    def words(self) -> str:
        """What holds it back: `stops in 3 of 20 (broker/hang)`."""
        return f"{self.harm.words}{in_some(self.bad, self.of)} ({self.scenario})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLevel:
    """What is said of a client in one role."""

    role: Role
    low: int | None = None
    """The level; the least of a range. None = there is none."""
    high: int | None = None
    measured: int = 0
    """Scored scenarios that are settled with the library's defaults."""
    reacts: int = 0
    """Scored scenarios in which the client neither stops nor loses or repeats records, without periodic refreshes."""
    known: int = 0
    """Scored scenarios that are known without periodic refreshes."""
    of: int
    """All scored scenarios of the role."""
    lacking: tuple[str, ...] = ()
    """Scored scenarios that were measured in no profile."""
    undecided: tuple[str, ...] = ()
    """Scored scenarios that were measured, and of which no profile tells: too few trials, or too old ones."""
    holding: tuple[Holds, ...] = ()
    """What holds the level back: the least level first, then what is certain before what may be, then what shows most
    often."""

    @property
    def told(self) -> int:
        """Scored scenarios of which trials tell, with the library's defaults or without periodic refreshes."""
        return self.of - len(self.lacking) - len(self.undecided)

    @property
    def is_little_known(self) -> bool:
        """Whether less than half of what decides the level is known, with defaults or without."""
        return self.role not in UNLEVELLED and 2 * self.told < self.of

    @property
    def words(self) -> str:
        """The level in words: `2 in time`, `reacts in 13 of 15`; a range with each scenario that makes it one.

        For instance `0 or 2: stops in 3 of 20 (broker/hang), burdens in 2 of 20 (net/blackhole)`.
        """
        if self.low is not None and self.high is not None:
            return self._level(self.low, self.high)
        if self.role in UNLEVELLED and not self.of:
            return "not scored: the baseline has no scenario of this role"
        open_ones = self.of - self.known - len(self.undecided)
        unknown = f", {open_ones} not measured" if open_ones else ""
        doubted = f", {len(self.undecided)} undecided" if self.undecided else ""
        reacts = f"reacts in {self.reacts} of {self.known}{unknown}{doubted}" if self.known else ""
        if self.measured and self.role not in UNLEVELLED:
            return f"undecided ({self.measured} of {self.of} settled){'; ' if reacts else ''}{reacts}"
        return reacts or ("undecided" if self.told or self.undecided else "not measured")

    def _level(self, low: int, high: int) -> str:
        if low < high:
            open_ones = self._open(high)
            more = f" and {len(open_ones) - NAMED} more" if len(open_ones) > NAMED else ""
            return f"{low} or {high}: {', '.join(open_ones[:NAMED])}{more}"
        why = f": {self.holding[0].words}" if self.holding else ""
        return f"{low} {NAMES[low]}".rstrip() + why

    def _open(self, high: int) -> list[str]:
        """Return what may hold the level below the greatest of a range, each scenario once."""
        found: dict[str, str] = {}
        for one in self.holding:
            if one.least < high:
                found.setdefault(one.scenario, one.words)
        return [*found.values()]


def level_of(role: Role, scored: Sequence[Scored], known: Known) -> RoleLevel:
    """Return what is said of a role. Scenarios that are not scored change nothing."""
    settled = [one for one in scored if _is_settled(one, known)]
    plain = {
        one.scenario: _counted(one, known.isolated[one.scenario]) for one in scored if known.isolated.get(one.scenario)
    }
    told = known.isolated.keys() | known.defaults.keys() | known.real.keys()
    untold = [one.scenario for one in scored if one.scenario not in told]
    found = RoleLevel(
        role=role,
        measured=len(settled),
        reacts=sum(not _is_grave(harms) for harms in plain.values()),
        known=len(plain),
        of=len(scored),
        lacking=tuple(one for one in untold if one not in known.undecided),
        undecided=tuple(one for one in untold if one in known.undecided),
    )
    if len(settled) < len(scored) or not scored or role in UNLEVELLED:
        return found
    return _levelled(found, scored, known)


def allowed(one: Scored, harm: TrialHarm) -> int:
    """Return the greatest level that a trial with a harm allows. What the scenario does not score is none."""
    return _HELD[harm.rank] if one.scores(harm.rank) else HIGHEST


def counts(bad: int, of: int) -> bool | None:
    """Return whether a harm in some trials counts; None where they do not decide. One that no trial shows does not."""
    if is_often(bad, of):
        return True
    return None if bad and wilson(bad, of, Z_90, math.sqrt)[1] >= SHARE else False


def needs_real(one: Scored) -> bool:
    """Return whether a scenario has to be played on real brokers, too: a core one, or one that may lose records."""
    return one.scenario in CORE_FAULTS or bool(one.real_only)


def _levelled(found: RoleLevel, scored: Sequence[Scored], known: Known) -> RoleLevel:
    low = high = HIGHEST
    holding: list[tuple[int, int, Holds]] = []
    for one in scored:
        for harms in (known.defaults.get(one.scenario), known.real.get(one.scenario)):
            if harms:
                least, most, held = _held(one, harms)
                low, high = min(low, least), min(high, most)
                holding += [(least, most, held)] if held else []
    ordered = sorted(holding, key=lambda item: (*item[:2], -item[2].share, -item[2].harm.rank, item[2].scenario))
    return replace(found, low=low, high=high, holding=tuple(item for least, _, item in ordered if least < HIGHEST))


def _held(one: Scored, harms: Sequence[TrialHarm]) -> tuple[int, int, Holds | None]:
    """Return the least and the greatest level that a scenario allows, and what holds the least one."""
    counted = _counted(one, harms)
    levels = [allowed(one, harm) for harm in harms]
    low = high = HIGHEST
    for level in range(HIGHEST):
        answer = counts(sum(mine <= level for mine in levels), len(levels))
        high = min(high, level) if answer else high
        low = low if answer is False else min(low, level)
    worst = gravest(harm for harm, mine in zip(counted, levels, strict=True) if mine == low)
    if worst is None or low == HIGHEST:
        return low, high, None
    bad = sum(mine <= low for mine in levels)
    return low, high, Holds(scenario=one.scenario, harm=worst, bad=bad, of=len(levels), least=low)


def is_often(bad: int, of: int) -> bool:
    """Return whether a harm that this many trials show counts: its share lies above `SHARE` with 90 % confidence."""
    return bad > 0 and wilson(bad, of, Z_90, math.sqrt)[0] > SHARE


def _is_settled(one: Scored, known: Known) -> bool:
    """Return whether trials are enough: on real brokers, or on fake ones where those are not needed."""
    own, real = known.defaults.get(one.scenario, ()), known.real.get(one.scenario, ())
    return len(real) >= TRIALS or (len(own) >= TRIALS and not needs_real(one))


def _counted(one: Scored, harms: Sequence[TrialHarm]) -> list[TrialHarm]:
    """Return the harms of trials as the scenario counts them: what it does not score is none."""
    return [harm if one.scores(harm.rank) else TrialHarm() for harm in harms]


def _is_grave(harms: Sequence[TrialHarm]) -> bool:
    return any(harm.rank >= Harm.STOPS for harm in harms)
