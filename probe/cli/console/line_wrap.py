"""Lines that fit a terminal. Without a terminal each text stays one line, in which other programs find it."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator

LEAST, MOST = 40, 100
"""Columns of lines on narrower and wider terminals."""


def terminal_columns() -> int:
    """Return the columns that lines on standard output may have; 0 = any number, since it is no terminal."""
    if not sys.stdout.isatty():
        return 0
    return max(LEAST, min(MOST, shutil.get_terminal_size().columns))


def wrapped(text: str, columns: int, indent: int) -> list[str]:
    """Return a text as lines of at most `columns` columns; those after the first are indented. A word stays whole.

    >>> wrapped("  fails  producer net/reset: stuck", 24, 4)
    ['  fails  producer', '    net/reset: stuck']
    """
    if not columns or len(text) <= columns:
        return [text]
    import textwrap  # noqa: PLC0415  # only terminals need it

    return textwrap.wrap(text, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def command_lines(command: str, columns: int, indent: int) -> list[str]:
    r"""Return an indented command as lines that a shell takes as they are: all but the last end with a backslash.

    An option stays beside its value.

    >>> command_lines("probe run --client sarama@1.43.2 --role producer", 40, 2)
    ['  probe run --client sarama@1.43.2 \\', '    --role producer']
    """
    whole = f"{'':<{indent}}{command}"
    if not columns or len(whole) <= columns:
        return [whole]
    found = [""]
    for part in _options(command):
        line = f"{found[-1]} {part}" if found[-1] else f"{'':<{indent}}{part}"
        if found[-1] and len(line) > columns - len(" \\"):
            found[-1] += " \\"
            found.append(f"{'':<{indent + 2}}{part}")
        else:
            found[-1] = line
    return found


def _options(command: str) -> Iterator[str]:
    """Yield the command's name, then each option with its value, quoted for a shell."""
    part: list[str] = []
    for word in shlex.split(command):
        if word.startswith("--") and part:
            yield shlex.join(part)
            part = []
        part.append(word)
    yield shlex.join(part)
