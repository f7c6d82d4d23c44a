"""The cells that a look-up reads: of a release, of a line of releases, or of a family."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from probe.catalogue.line_names import NamedLine
from probe.catalogue.selectors import Chosen
from probe.catalogue.workloads import select_workloads
from probe.cells.aggregate import SettledCell
from probe.cli.wiring.evidence import Evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Engine, Role
from probe.model.profile import OWN_DEFAULTS


def is_family(asked: Chosen, client: str) -> bool:
    """Return whether all versions of a family are asked about."""
    return "@" not in client and asked.application is None


def wanted_of(
    asked: Chosen,
    versions: Collection[str] | None,
    roles: Sequence[Role] | None,
    engine: Engine,
    workloads: Sequence[str] | None,
) -> Wanted:
    """Return what to read of a client, by the options of a look-up."""
    return Wanted(
        family=[asked.client.family],
        version=versions,
        role=[str(item) for item in roles] if roles else None,
        engine=[str(engine)],
        workload=[str(item) for item in select_workloads(workloads)] if workloads else None,
    )


def versions_of(client: str, asked: Chosen, named: NamedLine | None) -> Collection[str] | None:
    """Return the versions to read: those of a line, the one that is asked about, or all (None) of a family."""
    if named:
        return named.releases.values()
    return None if is_family(asked, client) else [asked.client.version]


def on_all_engines(found: Evidence, wanted: Wanted, own: Collection[Cell]) -> Mapping[Cell, SettledCell]:
    """Return the answers of the library's defaults, on real brokers too, if any of these cells is one."""
    if all(cell.profile != OWN_DEFAULTS for cell in own):
        return {}
    return found.find(replace(wanted, engine=[*Engine], profile=[OWN_DEFAULTS]))
