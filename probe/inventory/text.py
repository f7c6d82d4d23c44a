"""Text of inventories, which nobody vetted, in the forms in which it is safe to show. Pure."""

from __future__ import annotations

import html
import re
import unicodedata

LONGEST = 300
"""Characters of a name that are kept."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet read a cell as a formula."""
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that move the cursor, reverse the direction of text, or cannot be shown."""


def one_line(text: object) -> str:
    r"""Return a text as one line that any terminal shows as it is; unseen characters become `\x1b` or `\u202e`.

    >>> one_line("orders" + chr(10) + chr(27) + "[2J")
    'orders \\x1b[2J'
    """
    plain = " ".join(str(text)[: 4 * LONGEST].split())
    if not plain.isascii() or not plain.isprintable():
        plain = "".join(_seen(letter) for letter in plain)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}..."


def _seen(letter: str) -> str:
    if unicodedata.category(letter) not in UNSEEN:
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def csv_cell(text: str) -> str:
    """Return a text that spreadsheets do not read as a formula: an apostrophe stands before one."""
    return f"'{text}" if text.startswith(FORMULA) else text


def markdown_cell(text: str) -> str:
    """Return a text as it is for a cell of a Markdown table."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&@:-])", r"\\\1", one_line(text))


def html_text(text: str) -> str:
    """Return a text as it is for HTML, also inside quotes."""
    return html.escape(one_line(text))
