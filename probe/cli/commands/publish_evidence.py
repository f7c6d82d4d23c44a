"""`probe publish-evidence`: the settled cells of stored runs as the evidence that the package ships."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probe.catalogue.files import data_file
from probe.catalogue.known_results import contrasted, expected, read_known
from probe.cli.console.streams import OUT, say
from probe.cli.option_groups import PublicationOptions, with_groups
from probe.cli.wiring.settled_cells import own_file, write_settled
from probe.errors import GateError, NothingJudgedError
from probe.evidence.access import opened
from probe.evidence.publication import contradicted, for_package, joined, numbers_of
from probe.evidence.reader import EvidenceFile
from probe.evidence.text_files import read_folder, write_folder
from probe.evidence.writer import Contents, put, whole
from probe.files.digests import digest_of
from probe.files.shipped_evidence import TEXT, named_file
from probe.model.counts import counted
from probe.model.versions import version_key
from probe.verdict import RULES_VERSION


@with_groups(
    out="File to write; default: the text in this checkout (evidence/).",
    add="Keep what the text has of other cells than those of these runs.",
)
def publish_evidence(*, options: PublicationOptions) -> None:
    """Write settled cells as evidence that ships with the package; exit code 1 if it contradicts a known result."""
    results = options.results
    write_settled(results)
    with own_file(results) as own:
        contents = Contents(cells=own.cells(facts=True), runs=own.runs, handshakes=own.handshakes())
    held = read_folder(TEXT) if options.add else None
    choice = for_package(contents, RULES_VERSION, *([] if held is None else [numbers_of(held)]))
    for reason, count in sorted(choice.left_out.items()):
        say(f"left out  {counted(count, 'cell')} {reason}")
    if not choice.contents.cells:
        raise NothingJudgedError(f"{results}: no settled cell can be published; the lines above say why")
    path = options.out or named_file() or TEXT
    fresh = choice.contents if held is None else joined(held, choice.contents)
    contents = _put(path, fresh)
    data = whole(contents)
    if path != TEXT:
        put(path, data, digest=True)
    with opened(data, str(path)) as written:
        for line in _about(path, written, data):
            OUT.print(line, markup=False)
        _check(written)


def _put(path: Path, contents: Contents) -> Contents:
    """Write the text, if that is asked for, and return what is published: cells that say the same stay as they were."""
    if path != TEXT:
        return contents
    if not TEXT.parent.joinpath("pyproject.toml").exists():
        raise NothingJudgedError("there is no checkout around this package; name a file with --out")
    changed = write_folder(TEXT, contents)
    say(f"{counted(changed, 'line')} changed in {TEXT.name}")
    return read_folder(TEXT)


def _about(path: Path, written: EvidenceFile, data: bytes) -> Iterator[str]:
    cells = written.cells()
    lines = sorted(
        {(str(cell.engine), cell.broker) for cell in cells}, key=lambda item: (item[0], version_key(item[1]))
    )
    yield f"{path}: {len(data) / 1e6:.1f} MB, sha256:{digest_of(data)}"
    yield ", ".join(f"{name} {value}" for name, value in written.about.items())
    yield f"{counted(len({cell.client for cell in cells}), 'client')}; {counted(len(written.runs), 'run')}"
    for engine, broker in lines:
        count = sum(1 for cell in cells if (str(cell.engine), cell.broker) == (engine, broker))
        yield f"  {engine} {broker}: {counted(count, 'cell')}"


def _check(written: EvidenceFile) -> None:
    entries = read_known(data_file("known_results.toml"))
    wanted = [one for item in entries for one in (expected(item), contrasted(item))]
    found = contradicted(written.cells(among={item.cell for item in wanted}, facts=True), wanted)
    for finding in found:
        item = finding.expectation
        OUT.print(f"contradicts {item.name}: {item.cell}: {finding.text} [{item.source}]", markup=False)
    if found:
        raise GateError(f"the evidence contradicts {counted(len(found), 'known result')}; a release has none")
