"""The level of a role as a badge, in the endpoint format of shields (shields.io/badges/endpoint-badge). Pure."""

from __future__ import annotations

from probe.catalogue.baseline import baseline
from probe.cells.levels import RoleLevel

COLOURS = ("red", "yellow", "green", "brightgreen")
"""By level; of a range the least one counts."""
UNKNOWN = "lightgrey"


def badge(level: RoleLevel) -> dict[str, str | int]:
    """Return the badge of a role. It names the role, since no figure joins roles."""
    return {
        "schemaVersion": 1,
        "label": f"{baseline().name}: {level.role}",
        "message": level.words.partition(":")[0],
        "color": UNKNOWN if level.low is None else COLOURS[level.low],
    }
