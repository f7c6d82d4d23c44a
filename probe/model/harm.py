"""What a trial costs the service that runs the client: one rank, from the facts of the trial (docs/harm.md). Pure.

The outcome says what the client did; trials of one outcome may differ in harm, and one that conforms may do harm: a
record that was lost with acks=1 is lost. Ranks follow each other by what an operator would rather have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from probe.model.cell import Outcome, Role
from probe.model.outcomes import OUTCOMES, SAY_NOTHING
from probe.model.profile import NO_RETRIES, Profile
from probe.model.roles import WRITERS
from probe.model.verdicts import Verdict
from probe.model.words import AfterHeal, Symptom

ANSWERED_MS = 15_000
"""Longest standstill that is no harm where the client is answered an error, cut or refused."""
SILENT_MS = 95_000
"""The same where only a time-out can tell: silence, an absent application, a member that is gone."""
DEFAULTS_MS = (10_000, 30_000, 40_000, 45_000, 60_000, 120_000, 300_000)
"""Documented defaults of time-outs and refreshes of measured families. No bound lies within 20 % of one: otherwise the
default would decide the harm, and not the client."""
SESSION_MS = 45_000
"""Session time-out of members by default (KIP-735), where neither the profile nor the library's own default is known
(`probe.catalogue.session_timeouts`); a profile with short limits has `SHORT_SESSION_MS`."""
SHORT_SESSION_MS = 6_000
SILENT = frozenset({Symptom.SILENCE, Symptom.ABSENCE, Symptom.MEMBERSHIP})
FACTS_OF_HARM = (
    "acked",
    "lost",
    "unresolved",
    "phantom",
    "duplicated",
    "reordered",
    "position_jump",
    "recovery_ms",
    "kept_ms",
    "storm",
    "errors_surfaced",
    "failed_ops",
    "bystander_errors",
    "bystander_own_gap_ms",
    "after_heal",
)
"""The facts from which harm follows, and the number of records that `loses` is a share of."""
_TIMES = frozenset({"recovery_ms", "bystander_own_gap_ms"})
_NO_SIGN = frozenset({"acked", "kept_ms", *_TIMES})


class Harm(IntEnum):
    """How much a trial costs the service; the greater, the worse."""

    NONE = 0
    ERRORS = 1
    """An error reached the application, in a scenario in which a good client shows none."""
    BURDENS = 2
    """It flooded the brokers."""
    STALLS = 3
    """Work stood still for longer than the bound, and went on."""
    STOPS = 4
    """Work did not go on by itself."""
    REPEATS = 5
    """Records were repeated or reordered against the client's promise."""
    LOSES = 6
    """Records were lost: acknowledged ones, ones of which the application never learned, or ones that were skipped."""

    @property
    def word(self) -> str:
        """The harm as one word of the tables: `stops`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmBounds:
    """What the harm of a trial depends on beside its facts: the role, and what its scenario asks of the client."""

    role: Role
    bound_ms: int = ANSWERED_MS
    """A longer standstill is harm."""
    errors_count: bool = True
    """Whether an error that reaches the application is harm: a good client shows none in this scenario."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TrialHarm:
    """The harm of a trial. Greater values are worse."""

    rank: Harm = Harm.NONE
    silently: bool = False
    """Of `stops`: the application got no error, and the process lives, so that nobody is paged."""
    stalls_ms: float = 0.0
    """Of `stalls`: how long work stood still, without the time for which brokers kept the client waiting."""
    everything: bool = False
    """Partitions without a fault stood still beyond the bound, too, or had errors."""
    after_heal: AfterHeal = AfterHeal.NONE
    """What became of a client that had not recovered when the fault ended."""

    @property
    def words(self) -> str:
        """The harm in words: `stops silently`, `stalls 27 s, everything`."""
        more = " silently" if self.silently else f" {self.stalls_ms / 1000:.0f} s" if self.stalls_ms else ""
        return f"{self.rank.word}{more}{self.scope}"

    @property
    def scope(self) -> str:
        """`, everything` where all partitions are concerned.

        Empty of lost and repeated records: `loses, everything` would say that all of them are.
        """
        return ", everything" if self.everything and Harm.NONE < self.rank <= Harm.STOPS else ""


def bounds_of(role: Role, kind: Symptom, profile: str, *, errors_count: bool, session_ms: int) -> HarmBounds:
    """Return the bounds of a role in a scenario with this symptom, in a profile.

    `session_ms` is the session time-out of its group, by which the bound grows where a session must end first. An error
    of a client that does not retry is what its user asked for.
    """
    name = Profile.parse(profile).name
    bound_ms = SILENT_MS if kind in SILENT else ANSWERED_MS
    if kind is Symptom.MEMBERSHIP:
        bound_ms += session_ms
    return HarmBounds(role=role, bound_ms=bound_ms, errors_count=errors_count and name != NO_RETRIES)


def may_harm(facts: Mapping[str, Any]) -> bool:
    """Return whether these values of facts can be those of harm; a reader of many trials builds no facts of others."""
    return any(
        value and (name not in _NO_SIGN or (name in _TIMES and value > ANSWERED_MS)) for name, value in facts.items()
    )


def harm_of(verdict: Verdict, bounds: HarmBounds) -> TrialHarm | None:
    """Return the harm of a trial; None for an outcome that says nothing about the client."""
    if verdict.outcome in SAY_NOTHING:
        return None
    facts = verdict.facts
    stood_ms = facts.own_recovery_ms or 0.0
    rank = _rank(verdict, bounds, stood_ms)
    return TrialHarm(
        rank=rank,
        silently=rank is Harm.STOPS and verdict.outcome is Outcome.STUCK and not facts.has_errors,
        stalls_ms=stood_ms if rank is Harm.STALLS else 0.0,
        everything=facts.bystander_errors > 0 or (facts.bystander_own_gap_ms or 0) > bounds.bound_ms,
        after_heal=facts.after_heal,
    )


def gravest(harms: Iterable[TrialHarm | None]) -> TrialHarm | None:
    """Return the harm of a cell, the gravest of its trials; None if no trial says anything."""
    return max((one for one in harms if one is not None), default=None)


def _rank(verdict: Verdict, bounds: HarmBounds, stood_ms: float) -> Harm:
    facts = verdict.facts
    if _loses(verdict, bounds.role):
        return Harm.LOSES
    if verdict.outcome is Outcome.VIOLATES:
        return Harm.REPEATS
    if ends_work(verdict):
        return Harm.STOPS
    if stood_ms > bounds.bound_ms:
        return Harm.STALLS
    if facts.storm:
        return Harm.BURDENS
    counts = bounds.errors_count and verdict.conforms is not None
    as_asked = verdict.outcome is Outcome.SURFACES and verdict.conforms
    return Harm.ERRORS if counts and facts.has_errors and not as_asked else Harm.NONE


def ends_work(verdict: Verdict) -> bool:
    """Return whether a client's work ends for good in a trial, whatever graver harm it has besides."""
    is_end = OUTCOMES[verdict.outcome].hard and verdict.outcome is not Outcome.VIOLATES
    return is_end and not verdict.conforms


def _loses(verdict: Verdict, role: Role) -> bool:
    """Return whether records were lost.

    A writer's acknowledged records are lost whatever its acks are. A broken promise that no fact counts is an operation
    in another cluster, or a record of an aborted transaction.
    """
    facts = verdict.facts
    if role in WRITERS and (facts.lost or facts.unresolved or facts.phantom):
        return True
    if verdict.outcome is not Outcome.VIOLATES:
        return False
    skipped = (facts.position_jump or 0) > (facts.duplicated or 0)  # a position that went back repeats records
    return bool(facts.lost or skipped or not (facts.duplicated or facts.reordered))
