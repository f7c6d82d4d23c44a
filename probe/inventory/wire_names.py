"""Names and versions that clients report on the wire (KIP-511), and the clients that they mean. Pure but for its table.

`python -m probe.inventory.wire_names` prints the tables of docs/audit.md.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from probe.inventory.entries import Found, Place
from probe.inventory.packages import release
from probe.inventory.text import LONGEST, one_line
from probe.model.versions import version_key

TABLE = Path(__file__).resolve().parent / "data" / "names_on_the_wire.toml"
NOTHING = frozenset({"", "unknown"})
"""The brokers' text for a client that reports no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireName:
    """One software name, with the versions that stand beside it."""

    reported: str
    client: str = ""
    """Family of the catalogue; empty = none is driven."""
    ecosystem: str = ""
    package: str = ""
    """The library's package, whose rules decide what a release is; both empty = a version as it stands."""
    version: str = ""
    """Expression whose group `library` is the library's version; empty = the whole text is."""
    releases: tuple[str, ...] = ()
    """Releases of the library that report their own version; empty = all do."""
    otherwise: str = ""
    """The meaning of another version."""
    meaning: str
    example: str
    """A version as it is reported."""
    seen: str
    """Versions of the library for which this is confirmed."""
    source: str
    note: str = ""
    """Questions that stay open even for a known version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """A client that reports no name."""

    client: str
    seen: str
    source: str
    always: bool = False
    """Whether every version is silent."""
    client_ids: str = ""
    """Client ids that it has by default, as patterns; empty = none that tells."""


@cache
def wire_names() -> Mapping[str, WireName]:
    """Return the table by reported name."""
    rows = [WireName(**row | {"releases": tuple(row.get("releases", ()))}) for row in _table()["name"]]
    return {row.reported: row for row in rows}


@cache
def silent() -> tuple[Silent, ...]:
    """Return the clients that report no name."""
    return tuple(Silent(**row) for row in _table()["silent"])


@cache
def _table() -> Mapping[str, list[dict[str, Any]]]:
    return tomllib.loads(TABLE.read_text())


def client_on_the_wire(name: str, version: str, *, place: Place, count: int = 1, client_id: str = "") -> Found:
    """Return the client that reports a name and a version; `client_id` is its id, where the data has one."""
    name, version = name[:LONGEST], version[:LONGEST]
    number, why, known = _meant(name, version)
    return Found(
        service=one_line(client_id),
        package=one_line(name) or "unknown",
        client=known.client if known else "",
        version=one_line(number),
        unknown=one_line(why),
        count=count,
        place=place,
        note=one_line(_hint(client_id) if name in NOTHING else known.note if known and number else ""),
    )


def _meant(name: str, version: str) -> tuple[str, str, WireName | None]:
    """Return the library's version, or why it is not known, and the row of the table."""
    known = wire_names().get(name)
    if name in NOTHING:
        never = ", ".join(row.client for row in silent() if row.always)
        return "", f"it reports no name, as {never} and old versions of others do", None
    if known is None:
        return "", f"no client that is known reports the name {name} (version {version})", None
    if not known.client:
        return "", known.meaning, known
    number, why = _library(known, version)
    return number, why, known


def _library(known: WireName, version: str) -> tuple[str, str]:
    if known.version:
        found = re.fullmatch(known.version, version)
        return (found["library"], "") if found else ("", f"{version} does not say which {known.client} is inside")
    number, why = release(known.ecosystem, known.package, version)
    if not known.releases or number in known.releases:
        return number, why
    newest = max(known.releases, key=version_key)
    if number and number.split(".")[0] == newest.split(".")[0] and version_key(number) > version_key(newest):
        return "", f"{version} is a {known.client} after {newest}, which this table does not have, or {known.otherwise}"
    return "", f"{known.otherwise} ({version})"


def library_inside(version: str) -> str:
    """Return the version of librdkafka in one that a wrapper reports (`2.3.0-rdkafka-2.3.0`); empty if it is none."""
    patterns = (row.version for row in wire_names().values() if row.version)
    found = next(filter(None, (re.fullmatch(pattern, version) for pattern in patterns)), None)
    return found["library"] if found else ""


def _hint(client_id: str) -> str:
    fits = [row.client for row in silent() if any(fnmatchcase(client_id, one) for one in row.client_ids.split(", "))]
    return f"its client id is a default of {' or '.join(fits)}" if client_id and fits else ""


def tables() -> str:
    """Return both tables as Markdown."""
    lines = ["| name | example of a version | what it means | confirmed for | source |", "|---|---|---|---|---|"]
    for row in wire_names().values():
        meaning = f"{row.meaning}; {row.note}" if row.note else row.meaning
        lines.append(f"| `{row.reported}` | `{row.example}` | {meaning} | {row.seen} | {row.source} |")
    lines += ["", "| reports nothing | confirmed for | default client ids | source |", "|---|---|---|---|"]
    for one in silent():
        ids = f"`{one.client_ids}`" if one.client_ids else ""
        lines.append(f"| {one.client} | {one.seen} | {ids} | {one.source} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables())  # noqa: T201  # the tables are this module's output
