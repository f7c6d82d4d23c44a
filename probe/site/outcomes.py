"""The outcomes for readers: a glyph, a word and a meaning each (SEMANTICS 3); never colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import Outcome
from probe.model.grades import Trend


@dataclass(frozen=True, slots=True)
class Sign:
    """How an outcome is shown."""

    glyph: str
    word: str
    meaning: str
    """One short sentence for the legend."""
    sentence: str
    """What the client did, after "<client> ... <sentence>"."""


SIGNS: dict[Outcome, Sign] = {
    Outcome.REFRESHES: Sign(
        "✓",
        "refreshes",
        "Asked who serves now because of the fault, went there promptly; the application saw no error.",
        "asked for the new leader because of the fault, moved there promptly, and showed the application no error",
    ),
    Outcome.HINTED: Sign(
        "➜",
        "hinted",
        "Followed the leader named in the error answer itself (KIP-951); no question needed.",
        "followed the new leader named in the error answer itself (KIP-951), without having to ask",
    ),
    Outcome.CLEAN: Sign(
        "○",
        "clean",
        "Nothing went wrong for the application, and no reaction was called for.",
        "carried on without an error",
    ),
    Outcome.RIDES: Sign(
        "↻",
        "rides",
        "Tried again in place until the broker was well; the application saw no error.",
        "tried again in place until the broker was well, and showed the application no error",
    ),
    Outcome.SURFACES: Sign(
        "!",
        "surfaces",
        "An error reached the application.",
        "passed an error on to the application",
    ),
    Outcome.LATE: Sign(
        "◔",
        "late",
        "Recovered, but too slowly, or only because something else rescued it.",
        "recovered, but late or only because something other than the fault led it there",
    ),
    Outcome.STORMS: Sign(
        "≋",
        "storms",
        "Recovered, but with far more requests or connections than its own back-off allows.",
        "flooded the brokers with more requests or connections than its own back-off allows",
    ),
    Outcome.STUCK: Sign(
        "✗",
        "stuck",
        "Never recovered by itself while the fault stood.",
        "did not recover by itself while the fault stood",
    ),
    Outcome.VIOLATES: Sign(
        "⚠",
        "violates",
        "Broke a promise: records lost, duplicated, reordered, or a position that jumped.",
        "broke a promise to its application",
    ),
    Outcome.FATAL: Sign(
        "☠",
        "fatal",
        "The client became unusable, or its process ended.",
        "became unusable",
    ),
    Outcome.WAITING: Sign(
        "⧗",
        "waiting",
        "Had not recovered, but was watched for less than its own limits; says nothing yet.",
        "had not recovered when the watch ended, which was before its own limits were reached",
    ),
    Outcome.NOT_PROVOKED: Sign(
        "–",  # noqa: RUF001 - the glyph of SEMANTICS
        "not provoked",
        "The fault never reached the client, so the cell says nothing about it.",
        "never met the fault",
    ),
    Outcome.UNSUPPORTED: Sign(
        "∅",
        "unsupported",
        "Client or engine declared this combination impossible.",
        "cannot be asked this: client or engine declared the combination impossible",
    ),
    Outcome.BROKEN: Sign(
        "?",
        "broken",
        "The harness failed, or this client's control run was not clean; says nothing about the client.",
        "could not be judged, because the harness failed or the client's control run was not clean",
    ),
    Outcome.FLAKY: Sign(
        "~",
        "flaky",
        "Trials disagree; shown as k of n, never averaged.",
        "behaved differently from trial to trial",
    ),
    Outcome.NOT_RUN: Sign(
        "□",
        "not run",
        "The client could not be had or started on this machine.",
        "was not run",
    ),
}

HARD = frozenset({Outcome.STUCK, Outcome.VIOLATES, Outcome.FATAL})
"""Outcomes by which work stops or records are lost."""


def tone(outcome: Outcome, conforms: bool | None) -> str:
    """Return the judgement's tone: `good`, `poor`, `bad`, or `mute` where nothing is judged."""
    if conforms is None:
        return "mute"
    if conforms:
        return "good"
    return "bad" if outcome in HARD else "poor"


VERDICT_WORDS = {True: "conforms", False: "does not conform", None: "not judged"}

TREND_SIGNS = {
    Trend.WORSE: ("▼", "gets worse", "worse"),
    Trend.BETTER: ("▲", "gets better", "better"),
    Trend.BAD: ("■", "stays bad", "stay bad"),
    Trend.GOOD: ("●", "stays good", "stay good"),
    Trend.DIFFERS: ("≠", "differs, and is not judged", "differ"),
    Trend.SAME: ("=", "same, and is not judged", "the same"),
    Trend.UNCLEAR: ("?", "unclear: one side says nothing", "unclear"),
}
"""What became of a question: a glyph, words, and the word after a count."""
