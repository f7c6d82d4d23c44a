"""Diagnoses as commands need them: the files that can be read, the library of a client, and advice from evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from probe.catalogue.families import CatalogueError
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.diagnose.advice import Advice, advise
from probe.diagnose.analysis import analyse
from probe.diagnose.client_identity import Library, Whose
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.fingerprints import shipped
from probe.diagnose.identification import Listed
from probe.diagnose.input import file_set as readers
from probe.diagnose.observation import LogZone
from probe.diagnose.traits import Observed
from probe.errors import ProbeError
from probe.model.handshake import Handshake

STDIN = "-"
UNKNOWN_BACK_OFF_MS = 100
"""Back-off of a client whose library is not known: that of most libraries."""
ADVISABLE = frozenset({Status.STUCK, Status.STORMS, Status.WAS_STUCK})
"""Of a client that is not let in no evidence speaks."""
ADVISED = 50
"""Most clients for which evidence is asked."""


@dataclass(frozen=True, slots=True)
class Readable:
    """Which of the named files can be read."""

    paths: tuple[str, ...]
    problems: tuple[str, ...]
    """One line for each other."""


def readable(paths: Sequence[str]) -> Readable:
    """Return which files can be opened. Standard input and pipes are opened only once, when they are read."""
    good, problems = [], []
    for path in dict.fromkeys(paths):
        try:
            if not _is_read_once(path):
                with readers.open_inputs([path]):
                    pass
        except ProbeError as error:
            problems.append(str(error))
        else:
            good.append(path)
    return Readable(tuple(good), tuple(problems))


def _is_read_once(path: str) -> bool:
    return path == STDIN or Path(path).is_fifo() or Path(path).is_char_device()


def diagnose_files(
    paths: Sequence[str],
    progress: Callable[[int, int], None],
    pictures: int,
    log_zone: LogZone | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> Diagnosis:
    """Read files together, and return what became of their clients, with the events of `pictures` timelines.

    `names` are shown in place of paths.
    """
    with readers.open_inputs(paths, progress=progress, log_zone=log_zone, names=names) as source:
        return analyse(source, whose=by_fingerprint(), back_off_ms=back_off_ms, pictures=pictures)


def by_fingerprint() -> Whose:
    """Return what names a library by the fingerprints that ship, beside what a client reports of itself.

    Raises FingerprintsError if they are damaged.
    """
    listed = _listed()

    def whose(
        handshakes: Sequence[Handshake], began: frozenset[int], reported: tuple[str, str] | None
    ) -> Library | None:
        found = listed.whose(Observed(handshakes=tuple(handshakes), began=began, reported=reported))
        said = found.reported
        if not found.library and said is None:
            return None
        return Library(
            family=found.library,
            versions=found.span.fitting if found.library else (),
            text=found.text if found.library else "",
            sure=found.sure,
            reported=f"{said.name} {said.version}".strip() if said else "",
            note=f"it reports {said.name} {said.version}, but {said.contradicts}" if said and said.contradicts else "",
        )

    return whose


@cache
def _listed() -> Listed:
    """Return the fingerprints that ship, prepared for questions."""
    return Listed(shipped())


def back_off_ms(library: Library) -> int:
    """Return the shortest back-off of the versions that a client may be, in milliseconds."""
    if not library.family:
        return UNKNOWN_BACK_OFF_MS
    try:
        family = families()[library.family]
    except (KeyError, CatalogueError):
        return UNKNOWN_BACK_OFF_MS
    versions = library.versions or (family.newest.version,)
    return min(family.limit(family.behaviour.back_off_ms, version) for version in versions) or UNKNOWN_BACK_OFF_MS


def advices(
    diagnosis: Diagnosis, evidence: Sequence[str] | None, results: str, max_age: int
) -> list[tuple[ClientFinding, Advice]]:
    """Return what evidence says of the clients that are stuck or storm."""
    bad = [one for one in diagnosis.clients if one.status in ADVISABLE and one.worst is not None][:ADVISED]
    if not bad:
        return []
    with open_evidence(evidence, results, max_age) as found:
        return [(one, advise(one.worst, one.library, found)) for one in bad if one.worst is not None]
