"""The cells of the matrix as HTML, with few nodes each because there may be ten thousand (pure)."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from probe.model.outcomes import OUTCOMES
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.outcome_signs import VERDICT_WORDS, row_tone
from probe.site.data.wording import hint

WIDE_VERSIONS = 8
"""Client versions beyond which the matrix is wider than most windows."""
MANY_CELLS = 2000
"""From this number of cells the browser does not render rows outside the visible area."""
JUDGED = {True: "judged-yes", False: "judged-no", None: "judged-none"}
"""The class of a judgement, which the filters read."""
EMPTY = Markup('<td role="cell"></td>')


def cells(rows: Iterable[MatrixRow | None]) -> Markup:
    """Return one line of the matrix; the style sheet adds the symbol of an outcome by its class."""
    return Markup().join(EMPTY if row is None else _cell(row) for row in rows)


def _cell(row: MatrixRow) -> Markup:
    harm, word = row.harm_words if row.harm else "", OUTCOMES[row.outcome].label
    number = f"{hint(row)} raw".strip() if row.values["reality"] == "raw" else hint(row)
    text = f"{harm}; {word} {number}".removeprefix("; ").strip()
    shown = f"{harm}; " if harm else ""
    classes = f"{row_tone(row)} {row.outcome} {JUDGED[row.conforms]} {'unknown' if row.harm is None else row.harm.word}"
    html = (
        f'<td role="cell" class="{classes}"><a href="cell/{row.slug}.html"'
        f' aria-label="{escape(text)}, {VERDICT_WORDS[row.conforms]}" title="{escape(row.values["reason"])}">'
        f"{shown}{word} <i>{escape(number)}</i></a></td>"  # with the space the name has the text that is seen
    )
    return Markup(html)  # noqa: S704 - every part is escaped or ours
