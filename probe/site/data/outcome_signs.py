"""Texts and symbols for judgements and trends; colour is never the only difference."""

from __future__ import annotations

from probe.model import Outcome
from probe.model.grades import Trend
from probe.model.outcomes import OUTCOMES


def tone(outcome: Outcome, conforms: bool | None) -> str:
    """Return the tone of a judgement: `good`, `poor`, `bad`, or `mute` if nothing is judged."""
    if conforms is None:
        return "mute"
    if conforms:
        return "good"
    return "bad" if OUTCOMES[outcome].hard else "poor"


def glyph_rules() -> str:
    """Return the CSS rules with the symbol of every outcome in the matrix."""
    return "".join(f'#matrix .{outcome} {{ --glyph: "{info.symbol}"; }}\n' for outcome, info in OUTCOMES.items())


VERDICT_WORDS = {True: "conforms", False: "does not conform", None: "not judged"}

TREND_SIGNS = {
    Trend.WORSE: ("▼", "gets worse", "worse"),
    Trend.BETTER: ("▲", "gets better", "better"),
    Trend.BAD: ("■", "stays bad", "stay bad"),
    Trend.GOOD: ("●", "stays good", "stay good"),
    Trend.DIFFERS: ("≠", "differs, and is not judged", "differ"),
    Trend.SAME: ("=", "same, and is not judged", "the same"),
    Trend.UNCLEAR: ("?", "unclear: one side is not about the client", "unclear"),
}
"""Symbol, words, and the word after a count, per trend."""
