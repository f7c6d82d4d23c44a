"""Text of inventories, which nobody vetted, as it is kept. Pure."""

from __future__ import annotations

from probe.model.safe_text import visible

LONGEST = 300
"""Characters of a name that are kept."""


def one_line(text: object) -> str:
    """Return a text as one visible line of at most `LONGEST` characters; `...` stands for the rest."""
    plain = visible(str(text)[: 4 * LONGEST])
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}..."
