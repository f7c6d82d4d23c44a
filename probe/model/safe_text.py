"""Text of clients, brokers, inventories and users in the forms in which it is safe to show. Pure."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@")
"""First characters that make a spreadsheet read a cell as a formula; a tab is none, since it is no visible text."""


def visible(text: str) -> str:
    r"""Return a text as one line that any terminal shows as it is.

    Characters that move the cursor, turn the direction of text or cannot be shown become `\x1b` or `\u202e`.

    >>> visible("orders" + chr(10) + chr(27) + "[2J")
    'orders \\x1b[2J'
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(one if one.isprintable() else _escaped(one) for one in line)


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def csv_cell(text: str) -> str:
    """Return a text as one visible line that spreadsheets do not read as a formula: an apostrophe stands before one."""
    line = visible(text)
    return f"'{line}" if line.startswith(FORMULA) else line
