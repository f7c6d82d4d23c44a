"""Text of clients, brokers and users as a terminal may show it."""

from __future__ import annotations

HIDDEN = "\ufffd"


def visible(text: str) -> str:
    r"""Return text as one line; characters that move the cursor or turn the direction of text are replaced.

    >>> visible("a\n b\x1b[2J")
    'a b�[2J'
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(one if one.isprintable() else HIDDEN for one in line)
