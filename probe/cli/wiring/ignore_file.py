"""The ignore file of an audit: found, read, and applied with today's date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from probe.cells.audit import Report
from probe.cells.ignores import NAME, Entry, Ignored, IgnoreError, apply, read_ignores
from probe.cli.console.streams import say

LONGEST = 1_000_000
"""Greatest size of an ignore file in bytes."""


def read_ignore_file(named: Path | None) -> tuple[Entry, ...]:
    """Return the entries of a named file, else of the working directory's, if there is one. IgnoreError with a reason.

    No other folder is looked into: an inventory may lie in a repository that nobody vetted.
    """
    return read_ignores(*ignore_text(named))


def ignore_text(named: Path | None) -> tuple[str, str]:
    """Return the text of a named file, else of the working directory's, and its name. IgnoreError with a reason."""
    path = named or Path(NAME)
    return ("" if named is None and not path.is_file() else _text(path)), str(path)


def _text(path: Path) -> str:
    if path.exists() and not (path.is_file() or path.is_char_device()):
        raise IgnoreError(f"{path}: it is no file; name an ignore file")
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise IgnoreError(f"{path}: it is larger than {LONGEST // 1_000_000} MB; name an ignore file")
        return data.decode()
    except UnicodeDecodeError:
        raise IgnoreError(f"{path}: it is not text in UTF-8; correct the file") from None
    except OSError as error:
        raise IgnoreError(f"{path}: {error.strerror or error}; name an ignore file that can be read") from None


def accept(entries: Sequence[Entry], reports: Iterable[Report]) -> Ignored:
    """Apply entries as of today (UTC); entries that select no finding are named on standard error."""
    found = apply(entries, reports, datetime.now(UTC).date())
    for entry in found.idle:
        say(f"{entry} selects no finding; remove it")
    return found


def expired(found: Ignored) -> str:
    """Return the entries that apply no more, in one line."""
    named = ", ".join(f"{entry} on {entry.expires}" for entry in found.expired)
    return f"expired in the ignore file: {named}; give a new day with its reason, or remove them"
