"""What a trial costs the service that runs the client: one rank (docs/harm.md), which `probe.model.harm_rules` finds.

The outcome says what the client did; trials of one outcome may differ in harm, and one that conforms may do harm: a
record that was lost with acks=1 is lost. Ranks follow each other by what an operator would rather have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from probe.model.cell import Role
from probe.model.profile import NO_RETRIES, Profile
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
(`probe.model.session_timeouts`); a profile with short limits has `SHORT_SESSION_MS`."""
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
_signs = itemgetter(*(place for place, name in enumerate(FACTS_OF_HARM) if name not in _NO_SIGN))
_times = itemgetter(*(place for place, name in enumerate(FACTS_OF_HARM) if name in _TIMES))


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


BY_WORD: Mapping[str, Harm] = MappingProxyType({one.word: one for one in Harm})
EVERYTHING_WORD, PARTITION_WORD = "everything", "partition"
"""The scope of a harm in words: partitions without a fault suffer, too, or they do not."""
SCOPED = frozenset({Harm.ERRORS, Harm.BURDENS, Harm.STALLS, Harm.STOPS})
"""Harms that have a scope."""
COLUMN_WORDS = {"harm": tuple(BY_WORD), "scope": (PARTITION_WORD, EVERYTHING_WORD)}


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
    def scope(self) -> str:
        """The part that suffers, `partition` or `everything`; empty where there is no harm.

        Empty of lost and repeated records, too: `loses, everything` would say that all of them are.
        """
        if self.rank not in SCOPED:
            return ""
        return EVERYTHING_WORD if self.everything else PARTITION_WORD

    @property
    def words(self) -> str:
        """The harm in words: `stops silently`, `stalls 27 s, everything`."""
        more = " silently" if self.silently else f" {self.stalls_ms / 1000:.0f} s" if self.stalls_ms else ""
        return f"{self.rank.word}{more}{self.scope_words}"

    @property
    def scope_words(self) -> str:
        """`, everything` where that is the scope, else empty."""
        return f", {EVERYTHING_WORD}" if self.scope == EVERYTHING_WORD else ""


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


def spelled(counts: Mapping[Harm, int]) -> str:
    """Return numbers of trials per harm, the gravest first: `stops:3;none:17`."""
    return ";".join(f"{harm.word}:{counts[harm]}" for harm in sorted(counts, reverse=True))


def counts_of(text: str) -> dict[Harm, int]:
    """Parse what `spelled` returns. KeyError or ValueError for any other text."""
    pairs = (item.partition(":") for item in text.split(";") if item)
    return {BY_WORD[word]: int(count) for word, _, count in pairs}


def may_harm(values: Sequence[Any]) -> bool:
    """Return whether these values of `FACTS_OF_HARM` can be those of harm.

    A reader of many trials builds no facts of others.
    """
    return any(_signs(values)) or any(value and value > ANSWERED_MS for value in _times(values))


def gravest(harms: Iterable[TrialHarm | None]) -> TrialHarm | None:
    """Return the harm of a cell, the gravest of its trials; None if no trial says anything."""
    return max((one for one in harms if one is not None), default=None)
