"""Cells of shipped evidence for the pages of a run, which have them where its results have no trial."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from probe.catalogue.baseline import baseline
from probe.cells.aggregate import SettledCell
from probe.cells.origin import SHIPPED
from probe.cli.common_options import MAX_AGE_DAYS, RESULTS
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence, open_evidence
from probe.cli.wiring.settled_cells import own_file
from probe.evidence.cell_choice import Wanted
from probe.evidence.schema import EvidenceError
from probe.model import CONTROL, Client, Workload
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.versions import version_key
from probe.scenarios.own_profiles import profile_of
from probe.site.pages.client_choice import BROKER, SHOWN


def shipped_beside(results: str) -> Sequence[SettledCell]:
    """Return the settled cells that ship for the pages of a results folder, whose own settled cells are written."""
    with own_file(results) as own:
        measured = own.cells()
    return shipped_cells({cell.client for cell in measured}, {cell.broker for cell in measured})


def shipped_cells(clients: Collection[Client], lines: Collection[str]) -> Sequence[SettledCell]:
    """Return the settled cells that ship and that pages show; none, with a line that says why, if they cannot be read.

    These are all control cells and, of the measured `clients` and of the newest version of each library, the scored
    scenarios and those of the page "Which client?", with the library's defaults and in their usual profiles, on the
    measured release `lines` and on that of the page.
    """
    try:
        with open_evidence([SHIPPED], RESULTS, MAX_AGE_DAYS) as found:
            controls = found.find(Wanted(scenario=[CONTROL], profile=[DEFAULT_PROFILE]))
            wanted = _of_clients({*clients, *_newest(found)}, {*lines, BROKER})
            return (*controls.values(), *(one for each in wanted for one in found.find(each, facts=True).values()))
    except EvidenceError as error:
        say(f"pages are not filled from evidence that ships: {error}")
        return ()


def _newest(found: Evidence) -> Iterator[Client]:
    """Yield the newest version of each library that ships."""
    for name, family in families().items():
        if family.language and (versions := found.versions(name)):
            yield Client(name, max(versions, key=version_key))


def _of_clients(clients: Collection[Client], lines: Collection[str]) -> Iterator[Wanted]:
    scenarios = frozenset({*baseline().scenarios, *SHOWN})
    every = Wanted(
        scenario=scenarios,
        profile={DEFAULT_PROFILE, OWN_DEFAULTS, *map(profile_of, scenarios)} - {""},
        workload=[Workload.CONTINUOUS],
        broker=lines,
    )
    for name in sorted({one.family for one in clients}):
        yield replace(every, family=[name], version={one.version for one in clients if one.family == name})
