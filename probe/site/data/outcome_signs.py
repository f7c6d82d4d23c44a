"""Texts and symbols for judgements and trends; colour is never the only difference."""

from __future__ import annotations

from probe.cells.comparison import Answer
from probe.model import Outcome
from probe.model.harm import Harm
from probe.model.outcomes import OUTCOMES
from probe.site.data.cell_answer import Answered


def tone(outcome: Outcome, conforms: bool | None) -> str:
    """Return the tone of a judgement: `good`, `poor`, `bad`, or `mute` if nothing is judged."""
    if conforms is None:
        return "mute"
    if conforms:
        return "good"
    return "bad" if OUTCOMES[outcome].hard else "poor"


def harm_tone(harm: Harm | None) -> str:
    """Return the tone of a harm; `mute` if it is unknown."""
    if harm is None:
        return "mute"
    if harm is Harm.NONE:
        return "good"
    return "bad" if harm >= Harm.STOPS else "poor"


def row_tone(row: Answered) -> str:
    """Return the tone of a cell: that of its judgement, and `bad` wherever work stops or records are lost."""
    judged = tone(row.worst, row.conforms)
    return "bad" if judged != "mute" and row.harm is not None and row.harm >= Harm.STOPS else judged


def glyph_rules() -> str:
    """Return the CSS rules with the symbol of every outcome in the matrix."""
    return "".join(f'#matrix .{outcome} {{ --glyph: "{info.symbol}"; }}\n' for outcome, info in OUTCOMES.items())


VERDICT_WORDS = {True: "conforms", False: "does not conform", None: "not judged"}

BAD_IN_BOTH = "bad"
"""Cells without a difference that conform on neither side."""
ANSWER_SIGNS = {
    Answer.WORSE: ("▼", "gets worse", "worse"),
    Answer.BETTER: ("▲", "gets better", "better"),
    Answer.UNDECIDED: ("±", "undecided: too few trials, or chance", "undecided"),
    BAD_IN_BOTH: ("■", "no difference seen, conforms on neither side", "bad on both sides"),
    Answer.CHANGED: ("≠", "another outcome, the same harm", "changed"),
    Answer.UNCLEAR: ("?", "unclear: one side is not about the client", "unclear"),
    Answer.SAME: ("●", "no difference seen", "without a difference"),
}
"""Symbol, words, and the word after a count, per answer of a comparison."""
