"""The library's own defaults in place of a scenario's usual profile: they say what a service suffers. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Cell
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE, OWN_DEFAULTS
from probe.scenarios.own_profiles import profile_of


def in_defaults(cell: Cell) -> Cell | None:
    """Return the cell whose answer counts in place of a cell's where it was measured; None if there is no such cell.

    It is that of the library's defaults, for a cell with the scenario's usual profile and no more. They know nothing of
    the new group protocol.
    """
    usual = {DEFAULT_PROFILE, profile_of(cell.scenario)} - {CONSUMER_PROTOCOL}
    return replace(cell, profile=OWN_DEFAULTS) if cell.profile in usual else None


def in_usual(cell: Cell) -> Cell | None:
    """Return the cell in the scenario's usual profile beside one of the library's defaults; None for other profiles."""
    usual = profile_of(cell.scenario) or DEFAULT_PROFILE
    return replace(cell, profile=usual) if cell.profile == OWN_DEFAULTS else None
