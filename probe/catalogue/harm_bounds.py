"""What the harm of trials depends on in each scenario of the default catalogue, as a small table that look-ups read.

`python -m probe.catalogue.harm_bounds` writes `data/harm_bounds.tsv` from the scenarios, which take longer to load than
a look-up runs. A scenario that runs by its full name only has the bound of an answered fault.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from probe.catalogue.files import data_file
from probe.catalogue.session_timeouts import session_ms
from probe.model.cell import Cell, Outcome, Role
from probe.model.harm import HarmBounds, bounds_of
from probe.model.words import Symptom

if TYPE_CHECKING:
    from probe.scenarios.scenario import RoleVariant

TABLE = data_file("harm_bounds.tsv")
_QUIET = "!"
"""Sign of a role in which a good client shows its application no error."""


class Row(NamedTuple):
    """A scenario in one role."""

    kind: Symptom
    errors_count: bool


OTHER = Row(Symptom.ANSWER, errors_count=True)
"""The row of a scenario without one."""


@cache
def bounds_in(cell: Cell) -> HarmBounds:
    """Return what the harm of a cell's trials depends on."""
    row = rows().get((cell.scenario, cell.role), OTHER)
    session = session_ms(cell.client, cell.profile) if row.kind is Symptom.MEMBERSHIP else 0
    return bounds_of(cell.role, row.kind, cell.profile, errors_count=row.errors_count, session_ms=session)


@cache
def rows() -> Mapping[tuple[str, Role], Row]:
    """Return the table."""
    return dict(_read(TABLE.read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[tuple[tuple[str, Role], Row]]:
    for line in text.splitlines():
        scenario, *roles = line.split("\t")
        for part in roles:
            role, _, kind = part.partition("=")
            yield (scenario, Role(role)), Row(Symptom(kind.removesuffix(_QUIET)), kind.endswith(_QUIET))


def rendered() -> str:
    """Return the text of the table, from the scenarios themselves."""
    from probe.catalogue.scenarios import default_scenarios  # noqa: PLC0415  # look-ups read the file

    lines = []
    for name, scenario in default_scenarios().items():
        parts = [
            f"{role}={_kind(variant)}" for role in Role if (variant := _variant(scenario.variants, scenario.real, role))
        ]
        lines.append("\t".join([name, *parts]))
    return "\n".join(lines) + "\n"


def _variant(usual: tuple[RoleVariant, ...], real: tuple[RoleVariant, ...], role: Role) -> RoleVariant | None:
    return next((one for one in (*usual, *real) if role in one.roles), None)


def _kind(variant: RoleVariant) -> str:
    play = variant.expectation
    quiet = bool(play.conforms) and Outcome.SURFACES not in play.conforms
    return f"{play.kind}{_QUIET if quiet else ''}"


if __name__ == "__main__":
    TABLE.write_text(rendered(), encoding="utf-8")
    sys.stdout.write(f"{TABLE.name} written\n")
