"""Read the entries of an ignore file that accept cells of `probe check`, and say which of them are stale. Pure.

    [[ignore]]
    cell = "producer disk/storage-error"        # a name as `probe check` prints it; *, ? and [] are wildcards
    reason = "the refresh comes with #123"
    link = "https://github.com/..."             # may be left out
    expires = 2027-03-31                        # last day (UTC); may be left out

An entry accepts that a cell is worse than in the release. It is stale once no cell that it names is worse.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from probe.cells.cell_names import cell_name
from probe.cells.comparison import Answer, Compared
from probe.cells.ignores import CELL, IgnoreError, checked_keys, checked_text, day, rows_of

KEYS = (CELL, "reason", "link", "expires")
LINK = re.compile(r"https?://\S+")
HEADING = "[[ignore]]"
LAST_NOTES = re.compile(r"(?m)(?:^[ \t]*#.*\n)+\Z")
"""Comments right above the next entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEntry:
    """One entry about cells."""

    number: int
    """From 1 on, in the order of all entries of the file."""
    pattern: str
    reason: str
    link: str = ""
    expires: date | None = None
    """The last day on which it applies; None = until it is stale."""

    def __str__(self) -> str:
        return f"{HEADING} {self.number} ({self.pattern})"

    @property
    def words(self) -> str:
        """Why cells are accepted, with the link."""
        return f"{self.reason} ({self.link})" if self.link else self.reason

    def covers(self, name: str) -> bool:
        """Return whether it names a cell."""
        return fnmatchcase(name, self.pattern)


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry that has to be removed."""

    entry: CellEntry
    why: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.why}; remove it"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The cells that entries accept, and the entries that accept none."""

    why: Mapping[str, str]
    """Names of the worse cells that are accepted, with the reasons."""
    stale: tuple[Stale, ...]


def read_cell_ignores(text: str, name: str) -> tuple[CellEntry, ...]:
    """Read the entries about cells; others are those of `probe audit`. IgnoreError names entry, reason and way out."""
    return tuple(_entry(row, number, name) for number, row in enumerate(rows_of(text, name), 1) if CELL in row)


def _entry(row: Mapping[str, Any], number: int, name: str) -> CellEntry:
    place = f"{name}, {HEADING} {number}"
    checked_keys(row, KEYS, place)
    pattern = checked_text(row[CELL], CELL, place)
    if "reason" not in row:
        raise IgnoreError(f"{place}: it has no reason; say in `reason` why the cell may be worse")
    link = checked_text(row["link"], "link", place) if "link" in row else ""
    if link and not LINK.fullmatch(link):
        raise IgnoreError(f"{place}: `link` is no address; write it with https:// or leave it out")
    expires = day(row["expires"], place) if "expires" in row else None
    reason = checked_text(row["reason"], "reason", place)
    return CellEntry(number=number, pattern=pattern, reason=reason, link=link, expires=expires)


def accept(entries: Sequence[CellEntry], found: Iterable[Compared], today: date, *, is_whole: bool) -> Accepted:
    """Apply the entries as of `today` (UTC). A check that played a part only (`is_whole`) lets others' cells be."""
    answers = {cell_name(one.step.after.cell): one.answer for one in found}
    valid = [one for one in entries if one.expires is None or one.expires >= today]
    worse = [name for name, answer in answers.items() if answer is Answer.WORSE]
    why = {name: one.words for name in worse for one in reversed(valid) if one.covers(name)}
    expired = [Stale(one, f"it expired on {one.expires}") for one in entries if one not in valid]
    return Accepted(why, (*expired, *(Stale(one, text) for one in valid if (text := _stale(one, answers, is_whole)))))


def _stale(entry: CellEntry, answers: Mapping[str, Answer], is_whole: bool) -> str:  # one flag of one caller
    """Return why an entry is stale; empty if it accepts something, or nothing can be said."""
    mine = [answer for name, answer in answers.items() if entry.covers(name)]
    if not mine:
        return "no cell of the check has this name" if is_whole else ""
    if any(answer in {Answer.WORSE, Answer.UNDECIDED, Answer.UNCLEAR} for answer in mine):
        return ""
    return "its cell is not worse than in the release any more" if len(mine) == 1 else "none of its cells is worse"


def check_rewritable(text: str, name: str) -> None:
    """Raise IgnoreError for an ignore file to which no entry can be added as a table, or none be removed."""
    rows = rows_of(text, name)
    headings = len(re.findall(rf"(?m)^[ \t]*{re.escape(HEADING)}", text))
    is_table = headings == len(rows) and (headings > 0 or "ignore" not in tomllib.loads(text.removeprefix("\ufeff")))
    if not is_table:
        raise IgnoreError(f"{name}: its entries are no tables, which --write needs; begin each entry with {HEADING}")


def rewritten(text: str, stale: Iterable[Stale], added: Mapping[str, str]) -> str:
    """Return an ignore file without stale entries, and with one for each added cell, by name with the reason.

    Comments right above an entry are its own, but for those above the first, which may be the file's.
    """
    gone = {one.entry.number for one in stale}
    head, *blocks = re.split(rf"(?m)^(?=[ \t]*{re.escape(HEADING)})", text)
    whole, notes = head, ""
    for number, block in enumerate(blocks, 1):
        found = LAST_NOTES.search(block) if number < len(blocks) else None
        own, below = (block[: found.start()], found[0]) if found else (block, "")
        whole += "" if number in gone else notes + own
        notes = below
    ends = "" if not whole or whole.endswith("\n") else "\n"
    return whole + ends + "".join(_block(name, why) for name, why in added.items())


def _block(name: str, why: str) -> str:
    return f"\n{HEADING}\ncell = {_quoted(_literal(name))}\nreason = {_quoted(why)}\n"


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", " ", plain) + '"'
