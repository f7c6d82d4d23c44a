"""The id of what is wrong with a library: the same in OSV records, SARIF rules and VEX statements. Pure."""

from __future__ import annotations

from probe.model import Cell

PREFIX = "PROBE"
"""Own prefix: those of the OSV schema belong to other databases."""


def finding_id(cell: Cell) -> str:
    """Return the id of a library's finding in a role and a scenario: `PROBE-sarama-producer-disk-storage-error`.

    A workload other than `continuous` follows, since another version may mend it.
    """
    return "-".join([PREFIX, cell.family, str(cell.role), cell.scenario.replace("/", "-"), *cell.unusual.split()])
