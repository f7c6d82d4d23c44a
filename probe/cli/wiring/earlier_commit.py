"""`--against REF`: what an audit finds in an earlier commit of the same repository."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from probe.cells.audit import TOLD, Report
from probe.cli.console.streams import say
from probe.errors import ProbeError
from probe.inventory.entries import FileContent, Found
from probe.inventory.inventory_reader import STDIN, read_inventories
from probe.model.counts import counted
from probe.reports.audit.sarif import fingerprint

Again = Callable[[Sequence[FileContent]], Sequence[Report]]
"""Audits other readings in the same way."""
LARGEST = 256 * 1024 * 1024
"""Bytes of a file of a commit that is read; larger ones are left out, and so are new."""
PLAIN = ("100644", "100755")
"""Modes of files; links and submodules are left out, as a walk of a folder does."""


@dataclass(frozen=True, slots=True)
class EarlierPath:
    """A path of the command line at an earlier commit of its repository."""

    named: str
    """As the user names it."""
    root: Path
    """The folder of the repository."""
    inside: str
    """Below it; empty = the whole repository."""
    ref: str
    """The commit as the user names it."""
    commit: str
    """Its id."""


def earlier_paths(ref: str | None, paths: Sequence[str]) -> tuple[EarlierPath, ...]:
    """Return the paths at a commit; none without one. ProbeError for no repository, or one without this commit."""
    return tuple(_at(ref, path) for path in dict.fromkeys(paths)) if ref is not None else ()


def without_earlier(places: Sequence[EarlierPath], reports: Sequence[Report], again: Again) -> list[Report]:
    """Return the reports with what an earlier commit had accepted.

    What did not exist then is new as a whole, which is said.
    """
    if not places:
        return list(reports)
    ref = places[0].ref
    with TemporaryDirectory(prefix="probe-against-") as folder:
        earlier = again(
            [one for number, place in enumerate(places) for one in _readings(place, Path(folder, str(number)))]
        )
    known = {fingerprint(one, str(fault.cell)) for one in earlier for fault in one.faults if fault.finding in TOLD}
    found = [_accepted(one, known, f"known since {ref}") for one in reports]
    before = sum(fault.finding in TOLD for one in earlier for fault in one.faults)
    say(f"audit: {ref} had {counted(before, 'finding')}, which count no more where they are the same")
    return found


def _accepted(report: Report, known: set[str], words: str) -> Report:
    faults = (
        replace(one, ignored=words) if not one.ignored and fingerprint(report, str(one.cell)) in known else one
        for one in report.faults
    )
    return replace(report, faults=tuple(faults))


def _readings(place: EarlierPath, folder: Path) -> Iterator[FileContent]:
    """Yield what a path held at its commit, under the names that the path has today."""
    if place.inside and _git(place.root, "cat-file", "-e", f"{place.commit}:{place.inside}") is None:
        say(f"audit: {place.named} did not exist at {place.ref}: all of it is new")
        return
    copy = folder / (place.root.name or "root")
    _write_files(place, copy)
    base = copy / place.inside
    if base.exists():
        yield from (_renamed(one, base, Path(place.named)) for one in read_inventories([str(base)]))


def _at(ref: str, path: str) -> EarlierPath:
    if path == STDIN:
        raise ProbeError(f"--against {ref}: standard input has no commit; name files or folders, or use --known")
    whole = Path(path).resolve()
    top = _git(whole if whole.is_dir() else whole.parent, "rev-parse", "--show-toplevel")
    if top is None:
        raise ProbeError(
            f"--against {ref}: {path} lies in no git repository; name a checkout, or use --known with an earlier SARIF"
        )
    root = Path(top.decode().rstrip("\n")).resolve()
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if commit is None:
        raise ProbeError(
            f"--against {ref}: {root} has no such commit; name another one, or fetch it (a shallow clone has few)"
        )
    inside = whole.relative_to(root)
    return EarlierPath(path, root, "" if inside == Path() else inside.as_posix(), ref, commit.decode().strip())


def _write_files(place: EarlierPath, copy: Path) -> None:
    """Write the plain files of a commit at a path, as they are stored: no filter and no attribute changes them."""
    listed = (
        _git(place.root, "ls-tree", "-r", "-z", "-l", "--full-tree", place.commit, "--", place.inside or ".") or b""
    )
    for row in filter(None, listed.split(b"\0")):
        about, _, name = row.partition(b"\t")
        mode, _, blob, size = about.decode().split()
        if mode in PLAIN and int(size) <= LARGEST:
            target = copy / name.decode(errors="surrogateescape")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_git(place.root, "cat-file", "blob", blob) or b"")


def _renamed(reading: FileContent, base: Path, named: Path) -> FileContent:
    """Return a reading under today's names instead of those of the copy."""

    def today(text: str) -> str:
        path = Path(text)
        return str(named / path.relative_to(base)) if path.is_relative_to(base) else text

    def found(item: Found) -> Found:
        return replace(item, place=replace(item.place, file=today(item.place.file)))

    return replace(reading, place=today(reading.place), found=[found(item) for item in reading.found])


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what git prints; None if it fails. ProbeError if there is no git."""
    try:
        done = subprocess.run(  # fixed words and values of ours
            ["git", "-C", str(folder), *words],  # noqa: S607  # the user's own git
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError:
        raise ProbeError("--against needs git, which is not installed; install it, or use --known") from None
    return done.stdout if done.returncode == 0 else None
