"""`probe publish-fingerprints`: what the clients of stored control cells sent first, as fingerprints that ship."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from probe.catalogue.families import Family, is_local
from probe.cli.console.streams import OUT
from probe.cli.option_groups import PublicationOptions, with_groups
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.settled_cells import own_file, write_settled
from probe.diagnose.fingerprints import SHIPPED, Fingerprints, learned, shipped, written
from probe.errors import NothingJudgedError
from probe.evidence.writer import put
from probe.files.digests import digest_of
from probe.model import Cell
from probe.model.counts import counted
from probe.model.handshake import Handshake


@with_groups(
    out="File to write; default: that of the package.",
    add="Keep what the package has, but for conditions that RESULTS has, too.",
)
def publish_fingerprints(*, options: PublicationOptions) -> None:
    """Write what clients sent first in stored `steady` trials as fingerprints, which name the libraries in captures."""
    results = options.results
    write_settled(results)
    with own_file(results) as own:
        found = learned(of_libraries(own.handshakes()))
    if not found.clients:
        raise NothingJudgedError(
            f"{results}: no trial of `steady` has what a client sent first; `probe run --scenario steady` makes some"
        )
    data = written(shipped().with_more(found) if options.add else found)
    path = options.out or SHIPPED
    put(path, data, digest=True)
    for line in _about(path, found, data):
        OUT.print(line, markup=False)


def of_libraries(
    handshakes: Mapping[Cell, Collection[Handshake]],
) -> dict[Cell, Collection[Handshake]]:
    """Return the handshakes of libraries: applications and wrappers send what the library inside them sends."""
    known = families()
    return {cell: sent for cell, sent in handshakes.items() if _counts(cell, known)}


def _about(path: Path, found: Fingerprints, data: bytes) -> Iterator[str]:
    yield f"{path}: {len(data) / 1e3:.0f} kB, sha256:{digest_of(data)}"
    for family, versions in found.clients.items():
        conditions = {at for seen in versions.values() for at in seen}
        profiles = ", ".join(sorted({at.profile for at in conditions}))
        lines = ", ".join(sorted({at.broker for at in conditions}))
        yield f"  {family}: {counted(len(versions), 'version')} on {lines}; {profiles}"


def _counts(cell: Cell, known: Mapping[str, Family]) -> bool:
    library = cell.family in known and all(one.library is None for one in known[cell.family].versions)
    return library and not is_local(cell.version) and not cell.unusual  # its first requests are the same
