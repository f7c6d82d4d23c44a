"""Levels of all core versions and of the newest of each line, from the evidence that ships, as a table.

`python benchmarks/levels.py` prints it; with `--write` it replaces the table in docs/findings.md. No measurement: the
same on every machine. A level is that of the library's defaults; where these are not settled the table says in how many
scored scenarios the client reacts, and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family, is_local
from probe.catalogue.selectors import Chosen, select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.causes import is_scored, placed
from probe.cells.client_levels import findings_and_levels
from probe.cells.role_levels import as_suffered
from probe.cli.wiring.catalogue import by_number, families
from probe.cli.wiring.evidence import Evidence, open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED
from probe.model.versions import VersionKey, line_of, version_key

LINE = "3.9"
ROLES = tuple(role for role in baseline().roles if role not in UNLEVELLED)
PAGE = Path(__file__).resolve().parents[1] / "docs" / "findings.md"
BEGIN, END = "<!-- levels: python benchmarks/levels.py --write -->", "<!-- end of levels -->"
NAMED = 4
"""Scenarios that are named of a client; others are counted."""
ANY_AGE = 36_500


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into docs/findings.md")
    args = parser.parse_args()
    text = "\n".join(table())
    if not args.write:
        sys.stdout.write(f"{text}\n")
        return
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| client | {' | '.join(ROLES)} | what stops or loses work in scored scenarios |"
    yield f"|{'---|' * (len(ROLES) + 2)}"
    with open_evidence(["shipped"], "", ANY_AGE) as found:
        for family in sorted(families().values(), key=lambda one: one.family):
            yield from _rows(family, found)


def _rows(family: Family, found: Evidence) -> Iterator[str]:
    stored = found.find(Wanted(family=[family.family]))
    by_version: dict[str, dict[Cell, SettledCell]] = {}
    for cell, item in stored.items():
        by_version.setdefault(cell.version, {})[cell] = item
    for version in chosen(family, by_version):
        (asked,) = select_clients(families(), [f"{family.family}@{version}"], by_number)
        yield _row(asked, by_version[version])


def chosen(family: Family, measured: Mapping[str, object]) -> list[str]:
    """Return the measured versions of a family that are core or the newest of their line, ascending."""
    released = [one for one in measured if not is_local(one)]
    newest: dict[VersionKey, str] = {}
    for version in sorted(released, key=version_key):
        newest[line_of(version)] = version
    return sorted({*newest.values(), *(one for one in family.core if one in measured)}, key=version_key)


def _row(asked: Chosen, stored: Mapping[Cell, SettledCell]) -> str:
    faults, found = findings_and_levels(asked, stored, LINE)
    levels = {one.role: one.words for one in found}
    grave = [
        one
        for one in as_suffered(faults, stored)
        if one.harm is not None and one.harm.rank >= Harm.STOPS and is_scored(one) and one.cell.role in ROLES
    ]
    held = placed(grave, NAMED) or "nothing known"
    return f"| {asked.client} | {' | '.join(levels.get(role, '-') for role in ROLES)} | {held} |"


if __name__ == "__main__":
    main()
