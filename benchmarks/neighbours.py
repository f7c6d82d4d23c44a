"""Findings for releases that were not measured, tested by releases that were: each is left out in turn.

    python benchmarks/neighbours.py [--seed N] [--versions N] [--list]

Of the evidence that ships, whole releases are left out and predicted from those around them, in the scored scenarios of
Failover Baseline 2026 (profile `isolated`, embedded engine, line 3.9). At least half of the drawn ones lie beside a
known change: a neighbour, or the release itself, stops in a cell in which another of the three does not. The figures
are those of issue "Evidence for what people run": of what then stops, how much was called likely fine, and of what was
called likely stops, how much does; beside them the rule "as the older neighbour". No measurement: the same everywhere.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.catalogue.baseline import baseline
from probe.catalogue.releases import releases_of
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding
from probe.cells.between import Between
from probe.cells.harm import harms, of_chance
from probe.cells.origin import SHIPPED
from probe.cli.wiring.between import Differences
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence, open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Client
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import version_key

LINE = "3.9"
SEED = 56
VERSIONS = 60
FEWEST = 20
"""Scored cells that a release needs to be drawn."""
FOREVER = 36_500
"""Days: evidence of any age is compared with itself."""

Answers = Mapping[Cell, SettledCell]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One cell of a release that was left out: what was said, and what it does."""

    cell: Cell
    finding: Finding
    by_older: Harm | None
    """The harm of the nearest measured release before it; None = there is none."""
    does: Harm


def scored(evidence: Evidence) -> dict[Cell, SettledCell]:
    """Return the cells of the scored scenarios, of every client whose releases are known."""
    one = baseline()
    wanted = Wanted(
        engine=[str(DEFAULT_ENGINE)],
        broker=[LINE],
        profile=[DEFAULT_PROFILE],
        scenario=[*one.scenarios],
        workload=["continuous"],
    )
    found = evidence.find(wanted)
    return {cell: item for cell, item in found.items() if one.find(cell.scenario, cell.role) and harms(item)}


def by_client(answers: Answers) -> dict[Client, list[SettledCell]]:
    """Return the cells of each client."""
    found: dict[Client, list[SettledCell]] = {}
    for cell, item in answers.items():
        found.setdefault(cell.client, []).append(item)
    return found


def neighbours(client: Client, known: Iterable[Client]) -> tuple[Client | None, Client | None]:
    """Return the nearest releases of the same family on both sides."""
    mine = sorted((one for one in known if one.family == client.family), key=lambda one: version_key(one.version))
    place = mine.index(client)
    return (mine[place - 1] if place else None, mine[place + 1] if place + 1 < len(mine) else None)


def is_beside_a_change(client: Client, cells: Mapping[Client, list[SettledCell]]) -> bool:
    """Return whether a release, or one beside it, stops where another of the three does not."""
    stops: dict[tuple[str, str], set[bool]] = {}
    for one in (client, *neighbours(client, cells)):
        for item in cells[one] if one else ():
            stops.setdefault((item.cell.scenario, item.cell.role), set()).add(max(harms(item)) is Harm.STOPS)
    return any(len(found) > 1 for found in stops.values())


def drawn(cells: Mapping[Client, list[SettledCell]], seed: int, count: int) -> list[Client]:
    """Draw whole releases, half of them beside a known change; none whose registry took it back."""
    fit = [
        one
        for one, items in cells.items()
        if len(items) >= FEWEST and None not in neighbours(one, cells) and not _is_withdrawn(one)
    ]
    fit.sort(key=lambda one: (one.family, version_key(one.version)))
    beside = [one for one in fit if is_beside_a_change(one, cells)]
    dice = random.Random(seed)  # noqa: S311  # a drawing that everybody can repeat
    first = dice.sample(beside, min(len(beside), count // 2))
    return first + dice.sample([one for one in fit if one not in first], min(count, len(fit)) - len(first))


def _is_withdrawn(client: Client) -> bool:
    return client.version in releases_of(client.family).withdrawn


def predicted(client: Client, cells: Mapping[Client, list[SettledCell]], evidence: Evidence) -> list[Prediction]:
    """Return what is said of a release without its own cells."""
    taken_back = releases_of(client.family).withdrawn
    others = [
        item
        for one, items in cells.items()
        if one.family == client.family and one != client and one.version not in taken_back
        for item in items
    ]
    races = [item for item in evidence.races_of({client.family}) if item.cell.client != client]
    differences = Differences(evidence, families()[client.family], LINE)
    between = Between(others, of_chance(races), differences, differences.has_another_library)
    found = []
    for item in cells[client]:
        answer = between.answer(item.cell)
        finding = answer.finding if answer is not None else Finding.UNKNOWN
        found.append(Prediction(item.cell, finding, _older(item, others), max(harms(item))))
    return found


def _older(item: SettledCell, others: Iterable[SettledCell]) -> Harm | None:
    key = version_key(item.cell.version)
    same = [
        one
        for one in others
        if (one.cell.scenario, one.cell.role) == (item.cell.scenario, item.cell.role)
        and version_key(one.cell.version) < key
    ]
    return max(harms(max(same, key=lambda one: version_key(one.cell.version)))) if same else None


def report(clients: Sequence[Client], every: Sequence[Prediction], *, each: bool) -> int:
    """Print the figures; 1 if a bar of the issue is missed."""
    stopping = [one for one in every if one.does is Harm.STOPS]
    missed = [one for one in stopping if one.finding is Finding.LIKELY_FINE]
    called = [one for one in every if one.finding is Finding.LIKELY_STOPS]
    right = [one for one in called if one.does is Harm.STOPS]
    versions = {one.cell.client for one in missed}
    older_fine = [one for one in stopping if one.by_older is Harm.NONE]
    older_stops = [one for one in every if one.by_older is Harm.STOPS]
    older_right = [one for one in older_stops if one.does is Harm.STOPS]
    older_versions = {one.cell.client for one in older_fine}
    say = sys.stdout.write
    say(f"{len(clients)} releases of {len({one.family for one in clients})} families, {len(every)} cells\n")
    for finding, count in Counter(one.finding for one in every).most_common():
        mine = [one for one in every if one.finding is finding]
        does = ", ".join(f"{name.name.lower()} {n}" for name, n in Counter(one.does for one in mine).most_common())
        say(f"  {finding}: {count} ({does})\n")
    say(f"stops and called likely fine: {len(missed)} of {len(stopping)} ({share(missed, stopping)}), aim 5 %\n")
    say(f"called likely stops and does: {len(right)} of {len(called)} ({share(right, called)}), aim 95 %\n")
    say(f"releases with one likely fine that stops: {len(versions)} of {len(clients)}, aim 3\n")
    say(
        f"as the older neighbour: fine and stops {len(older_fine)} of {len(stopping)} ({share(older_fine, stopping)}), "
    )
    say(f"stops and does {len(older_right)} of {len(older_stops)} ({share(older_right, older_stops)}), ")
    say(f"releases with one fine that stops {len(older_versions)}\n")
    for one in [*missed, *(item for item in called if item.does is not Harm.STOPS)] if each else ():
        say(f"  {one.cell}: {one.finding}, {one.does.name.lower()}\n")
    enough = len(missed) <= 0.05 * len(stopping) and len(right) >= 0.95 * len(called) and len(versions) <= 3
    return 0 if enough else 1


def share(some: Sequence[object], of: Sequence[object]) -> str:
    """Return a share in per cent."""
    return f"{100 * len(some) / len(of):.1f} %" if of else "none"


def main() -> int:
    """Draw releases, predict them from the others, and print how often that is right."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--versions", type=int, default=VERSIONS)
    options.add_argument("--list", action="store_true", help="print what was predicted wrong")
    asked = options.parse_args()
    with open_evidence([SHIPPED], "results", FOREVER) as evidence:
        cells = by_client(scored(evidence))
        clients = drawn(cells, asked.seed, asked.versions)
        every = [one for client in clients for one in predicted(client, cells, evidence)]
        beside = sum(is_beside_a_change(one, cells) for one in clients)
    sys.stdout.write(f"seed {asked.seed}, {beside} beside a known change: ")
    return report(clients, every, each=asked.list)


if __name__ == "__main__":
    raise SystemExit(main())
