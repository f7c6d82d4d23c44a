"""The accuracy of fingerprints, as to library and version: each version is left out in turn, then asked for.

`python benchmarks/fingerprints.py RESULTS [RESULTS ...]` takes what the clients of stored `steady` trials sent first.
Of every trial with the default settings four questions are asked, with `--nameless` without the name that the client
reports, which decides the library: of whole connections with the versions that brokers offer, of whole connections
without these, and the same of connections whose beginning was not seen, of which no name is either. kcat and
Telegraf are asked as the library inside them, whose version is left out, too.
`--profile` asks of trials with other settings instead, `--library` leaves the whole library out: the answer should be
that it is none of those listed. No measurement: the same on every machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.cli.commands.publish_fingerprints import of_libraries
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.settled_cells import read_runs
from probe.diagnose.fingerprints import Fingerprints, learned, whole
from probe.diagnose.identification import Known, Listed
from probe.diagnose.libraries import Sure, Whose
from probe.diagnose.traits import Observed, hard_part
from probe.diagnose.version_fit import Hulls, Lines
from probe.model import Cell
from probe.model.handshake import Handshake
from probe.protocol.apis import HANDSHAKE_APIS
from probe.store.files import Place

Sent = Mapping[Cell, tuple[Handshake, ...]]
View = Callable[[Cell, Handshake], Handshake]
PROFILE = "isolated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One client to name, with the truth."""

    cell: Cell
    family: str
    version: str
    seen: Observed


def questions(sent: Sent, view: View, *, nameless: bool = False) -> Iterator[Question]:
    """Yield a question per trial; `nameless`: without the name that the client reports, which decides the library."""
    for cell, some in sent.items():
        told = (replace(each, software_name=None, software_version=None) if nameless else each for each in some)
        shown = tuple(one for one in (view(cell, each) for each in told) if one.versions)
        if shown:
            family, version = inside(cell)
            began = frozenset(one.conn for one in shown if one.requests)
            yield Question(cell=cell, family=family, version=version, seen=Observed(handshakes=shown, began=began))


def inside(cell: Cell) -> tuple[str, str]:
    """Return the library inside a client, and its version."""
    version = families()[cell.family].find(cell.version)
    if version is None or version.library is None:
        return cell.family, cell.version
    return version.library.family, version.library.version


def views(fingerprints: Fingerprints) -> Mapping[str, View]:
    """Return what an observer sees of a connection, by name."""
    lines = Lines(fingerprints)

    def offered(cell: Cell, sent: Handshake) -> Handshake:
        return replace(sent, offered=tuple(lines.tops(cell.broker).items()))

    def alone(_: Cell, sent: Handshake) -> Handshake:
        return replace(sent, offered=())

    def later(_: Cell, sent: Handshake) -> Handshake:
        versions = tuple(pair for pair in sent.versions if pair[0] not in HANDSHAKE_APIS)
        return replace(sent, versions=versions, requests=(), offered=(), software_name=None, software_version=None)

    def later_offered(cell: Cell, sent: Handshake) -> Handshake:
        return replace(later(cell, sent), offered=offered(cell, sent).offered)

    return {
        "whole, offers seen": offered,
        "whole": alone,
        "began earlier, offers seen": later_offered,
        "began earlier": later,
    }


def asked(
    fingerprints: Fingerprints, some: Iterable[Question], *, library: bool = False
) -> Iterator[tuple[Question, Whose]]:
    """Yield the answers, each by fingerprints without the version (or library) that is asked for."""
    groups: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for one in some:
        groups[one.family, "" if library else one.version].append(one)
    hulls, kept = Hulls(), Known()
    for (family, version), same in groups.items():
        gone = [version] if version else [*fingerprints.clients.get(family, ())]
        listed = Listed(fingerprints.without((family, each) for each in gone), hulls, kept)
        yield from ((one, listed.whose(one.seen)) for one in same)


def equals(sent: Sent) -> Callable[[Question], int]:
    """Return what counts the listed versions that send the same, of what an application does not set.

    They are compared in the same role, with the same settings and brokers.
    """

    def key(cell: Cell) -> tuple[Cell, str]:
        return replace(cell, version=""), repr(hard_part(whole(sent[cell])))

    groups = Counter(map(key, sent))
    return lambda one: groups[key(one.cell)]


def report(name: str, sent: Sent, fingerprints: Fingerprints, pairs: Sequence[tuple[Question, Whose]]) -> Iterator[str]:
    """Yield the figures of one kind of questions."""
    named = [one for one in pairs if one[1].library]
    right = [(one, found) for one, found in named if found.library == one.family]
    held = [one for one, found in right if found.span.holds(one.version)]
    yield f"{name}: {len(pairs)} trials, library named in {share(named, pairs)}, right in {share(right, named)}"
    for sure in Sure:
        some = [one for one in pairs if one[1].sure is sure]
        good = [one for one, found in some if found.library == one.family]
        yield f"  {sure}: {share(some, pairs)} of the answers, right in {share(good, some)}"
    if right:
        same, versions = equals(sent), {family: [*found] for family, found in fingerprints.clients.items()}
        counts = [sum(map(found.span.holds, versions[one.family])) for one, found in right]
        ratios = [count / same(one) for count, (one, _) in zip(counts, right, strict=True)]
        yield f"  range holds the version in {share(held, right)}; of listed versions it has {spread(counts)}"
        yield f"  times as many as send the same: {spread(ratios)}"


def spread(values: Sequence[float]) -> str:
    """Return median, mean and greatest of some numbers."""
    middle, mean = statistics.median(values), statistics.mean(values)
    return f"median {middle:.1f}, mean {mean:.1f}, most {max(values):.1f}"


def share(some: Sized, of: Sized) -> str:
    """Return a share in percent with the numbers behind it."""
    part, every = len(some), len(of)
    return f"{part} of {every} ({100 * part / every:.1f} %)" if every else "0 of 0"


def wrong(pairs: Iterable[tuple[Question, Whose]]) -> Iterator[str]:
    """Yield a line per answer whose library or range is wrong."""
    for one, found in pairs:
        if found.library != one.family or not found.span.holds(one.version):
            about = f"{found.library or 'unknown'} {found.span}, {found.sure}: {found.reason}"
            yield f"    {one.cell}: {about} {' '.join(found.candidates)}"


def stored(places: Iterable[str]) -> dict[Cell, tuple[Handshake, ...]]:
    """Return the handshakes of the control cells of results folders."""
    found: dict[Cell, tuple[Handshake, ...]] = {}
    for place in places:
        runs = dict.fromkeys(Place(place).run_ids(), "")
        found.update({cell: tuple(some) for cell, some in read_runs(place, runs).handshakes.items()})
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--profile", action="append", default=[], help=f"written profile; default: {PROFILE}")
    parser.add_argument("--view", action="append", default=[], help="what is seen of a client; default: each")
    parser.add_argument("--library", action="store_true", help="leave the whole library out")
    parser.add_argument("--nameless", action="store_true", help="without the names that clients report")
    parser.add_argument("--verbose", action="store_true", help="name the wrong answers")
    args = parser.parse_args()
    sent = stored(args.results)
    fingerprints = learned(of_libraries(sent))
    for profile in args.profile or [PROFILE]:
        chosen = {cell: some for cell, some in sent.items() if cell.profile == profile}
        for name, view in views(fingerprints).items():
            if args.view and name not in args.view:
                continue
            pairs = [*asked(fingerprints, questions(chosen, view, nameless=args.nameless), library=args.library)]
            lines = [
                *report(f"{profile}, {name}", chosen, fingerprints, pairs),
                *(wrong(pairs) if args.verbose else ()),
            ]
            sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
