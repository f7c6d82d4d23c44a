"""Read an ignore file: findings of an audit that a team accepts, each with a reason and a last day. Pure.

TOML with one `[[ignore]]` per entry. `client`, `service`, `scenario` and `role` select findings and may contain the
wildcards `*`, `?` and `[]`; what is left out selects all, but one of them is needed. `reason` and `expires`, the last
day (UTC) on which the entry applies, are needed as well. Entries with `cell` are for `probe check`
(`probe.cells.cell_ignores`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import Any

from probe.cells.audit import TOLD, Fault, Finding, Report
from probe.errors import ProbeError

NAME = ".probe-ignore.toml"
"""The ignore file of the working directory, which `probe audit` and `probe check` take by themselves."""
CELL = "cell"
"""The key of an entry about cells of `probe check`."""
SELECTORS = ("client", "service", "scenario", "role")
KEYS = (*SELECTORS, "reason", "expires")
ACCEPTABLE = (*TOLD, Finding.UNKNOWN)
"""Findings that an entry may accept."""


class IgnoreError(ProbeError):
    """An ignore file that cannot be used. The text names the entry, the reason and the way out in one line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an ignore file."""

    number: int
    """From 1 on, in the order of the file."""
    selectors: Mapping[str, str]
    """Patterns by selector."""
    reason: str
    expires: date
    """The last day on which it applies."""

    def __str__(self) -> str:
        chosen = ", ".join(f"{name} {pattern}" for name, pattern in self.selectors.items())
        return f"[[ignore]] {self.number} ({chosen}: {self.reason})"

    def covers(self, report: Report, fault: Fault) -> bool:
        """Return whether the entry selects a fault of a service."""
        texts = {
            "client": (report.client, report.stands_for),
            "service": (report.name,),
            "scenario": (fault.cell.scenario,),
            "role": (str(fault.cell.role),),
        }
        return all(any(fnmatchcase(text, pattern) for text in texts[name]) for name, pattern in self.selectors.items())


@dataclass(frozen=True, slots=True)
class Ignored:
    """Reports after an ignore file."""

    reports: tuple[Report, ...]
    expired: tuple[Entry, ...] = ()
    """Entries that apply no more: a gate fails by them."""
    idle: tuple[Entry, ...] = ()
    """Entries that apply and select no finding."""


def read_ignores(text: str, name: str) -> tuple[Entry, ...]:
    """Read an ignore file. IgnoreError names the entry, the reason and the way out."""
    return tuple(_entry(row, number, name) for number, row in enumerate(rows_of(text, name), 1) if CELL not in row)


def rows_of(text: str, name: str) -> Sequence[Mapping[str, Any]]:
    """Return the entries of an ignore file as tables. IgnoreError if it is none."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = "its values are nested too deeply" if isinstance(error, RecursionError) else error
        raise IgnoreError(f"{name}: {why}; correct the file") from None
    rows = data.pop("ignore", [])
    if data:
        raise IgnoreError(f"{name}: unknown key {next(iter(data))!r}; begin each entry with [[ignore]]")
    if not (isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)):
        raise IgnoreError(f"{name}: `ignore` is not a list of tables; begin each entry with [[ignore]]")
    return rows


def _entry(row: Mapping[str, Any], number: int, name: str) -> Entry:
    place = f"{name}, [[ignore]] {number}"
    checked_keys(row, KEYS, place)
    selectors = {key: checked_text(row[key], key, place) for key in SELECTORS if key in row}
    if not selectors:
        raise IgnoreError(f"{place}: it selects nothing; give one of {', '.join((*SELECTORS, CELL))}")
    if "reason" not in row:
        raise IgnoreError(f"{place}: it has no reason; say in `reason` why the finding is accepted")
    reason = checked_text(row["reason"], "reason", place)
    return Entry(number, selectors, reason, day(row.get("expires"), place))


def checked_keys(row: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Raise IgnoreError for a key that an entry cannot have."""
    for key in row:
        if key not in known:
            raise IgnoreError(f"{place}: unknown key {key!r}; known are {', '.join(known)}")


def checked_text(value: object, key: str, place: str) -> str:
    """Return a text in one line. IgnoreError if it is none."""
    found = " ".join(value.split()) if isinstance(value, str) else ""
    if not found:
        raise IgnoreError(f'{place}: `{key}` is not a text with a content; write {key} = "..."')
    return found


def day(value: object, place: str) -> date:
    """Return a day. IgnoreError if it is none."""
    if value is None:
        raise IgnoreError(f"{place}: it never expires; give its last day, as in expires = 2027-03-31")
    if isinstance(value, datetime) or not isinstance(value, date):
        raise IgnoreError(f"{place}: `expires` is not a day; write it without quotes and time, as in 2027-03-31")
    return value


def apply(entries: Sequence[Entry], reports: Iterable[Report], today: date) -> Ignored:
    """Mark the findings that valid entries select; `today` is a day of UTC."""
    valid = [entry for entry in entries if entry.expires >= today]
    used: set[int] = set()
    marked = tuple(_marked(report, valid, used) for report in reports)
    return Ignored(
        marked,
        expired=tuple(entry for entry in entries if entry.expires < today),
        idle=tuple(entry for entry in valid if entry.number not in used),
    )


def _marked(report: Report, valid: Sequence[Entry], used: set[int]) -> Report:
    return replace(report, faults=tuple(_accepted(report, fault, valid, used) for fault in report.faults))


def _accepted(report: Report, fault: Fault, valid: Sequence[Entry], used: set[int]) -> Fault:
    chosen = [entry for entry in valid if fault.finding in ACCEPTABLE and entry.covers(report, fault)]
    used.update(entry.number for entry in chosen)
    if not chosen:
        return fault
    last = max(chosen, key=lambda entry: entry.expires)
    return replace(fault, ignored=f"{last.reason} (until {last.expires})")
