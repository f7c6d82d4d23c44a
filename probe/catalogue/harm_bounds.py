"""The table of `probe.model.harm_bounds`, from the scenarios: `python -m probe.catalogue.harm_bounds` writes it."""

from __future__ import annotations

import sys

from probe.catalogue.scenarios import default_scenarios
from probe.model.cell import Outcome, Role
from probe.model.harm_bounds import QUIET, TABLE
from probe.scenarios.scenario import RoleVariant


def rendered() -> str:
    """Return the text of the table."""
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
    return f"{play.kind}{QUIET if quiet else ''}"


if __name__ == "__main__":
    TABLE.write_text(rendered(), encoding="utf-8")
    sys.stdout.write(f"{TABLE.name} written\n")
