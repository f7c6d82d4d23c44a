"""Whether the evidence that ships, and `probe audit` of it, agree cell for cell with the results it came from.

    python benchmarks/audit_agreement.py RESULTS... [--evidence FILE]

The trials in the results folders are settled anew. First each cell of the evidence is compared with its trials, facts
included, and what it lacks is counted. Then `probe audit --json` is asked for every client and profile of the evidence,
on every engine and release line, in every scenario of it, and each answer is compared with the finding that follows
from the trials. Exit code 1 if one differs.
"""

# ruff: noqa: T201  # the figures are the output of this command

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe import store
from probe.cells.aggregate import SettledCell, merged, settle
from probe.cells.audit import UNPROVEN, examine
from probe.cells.citations import said
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.publication import for_package
from probe.evidence.writer import Contents
from probe.model import Cell, Profile
from probe.verdict import RULES_VERSION

ALL_AGES = "36500"
SHOWN = 20
"""Most differences that are printed."""
COMPARED = ("outcome", "outcomes", "worst", "run_id", "rules", "conditions")
"""The text of an answer, without its age and its file."""


def settled(folders: Sequence[str]) -> dict[Cell, SettledCell]:
    """Return the settled cells of all trials in some results folders."""
    found: dict[Cell, SettledCell] = {}
    for folder in folders:
        found = merged(found, settle(store.trials(folder)))
    return found


def differing(shipped: Mapping[Cell, SettledCell], own: Mapping[Cell, SettledCell]) -> Iterator[str]:
    """Yield the cells that are not what the trials say."""
    for cell, item in shipped.items():
        if cell not in own:
            yield f"{cell}: no trial of it is stored"
        elif item != own[cell]:
            yield f"{cell}: {item.outcomes} of {item.run_id}; trials: {own[cell].outcomes} of {own[cell].run_id}"


def audits(cells: Collection[Cell], evidence: str, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what `probe audit` says of each cell that it asks for."""
    program = Path(sys.executable).with_name("probe")
    sheet = folder / "clients.csv"
    for engine, line in sorted({(str(cell.engine), cell.broker) for cell in cells}):
        mine = [cell for cell in cells if (str(cell.engine), cell.broker) == (engine, line)]
        with sheet.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("client", "profile", "properties"))
            for client, written in sorted({(str(cell.client), cell.profile) for cell in mine}):
                profile = Profile.parse(written)
                rows.writerow((client, profile.name, ";".join(profile.settings)))
        scenarios = [part for name in sorted({cell.scenario for cell in mine}) for part in ("--scenario", name)]
        where = ["--engine", engine, "--broker", line, "--evidence", evidence, "--max-age", ALL_AGES]
        done = subprocess.run(
            [program, "audit", sheet, "--json", *where, *scenarios], check=False, capture_output=True, text=True
        )
        if not done.stdout:
            raise SystemExit(f"probe audit on {engine} {line}: {done.stderr}")
        for service in json.loads(done.stdout)["services"]:
            yield from service["faults"]


def contradicted(answer: Mapping[str, Any], own: Mapping[Cell, SettledCell]) -> str:
    """Return how an answer differs from what follows from the trials; empty if it does not."""
    cell = Cell.of(dict(answer))
    if cell not in own:
        if answer["finding"] in UNPROVEN:  # what other releases show
            return ""
        here = (answer["measured_on"], answer["measured_profile"]) == (cell.broker, cell.profile)
        return f"{cell}: {answer['outcome']}, but nothing is published of it" if here else ""
    (expected,) = examine([cell], own)
    trials = {**said(own[cell]), "finding": expected.finding, "reason": own[cell].reason}
    names = [name for name in (*COMPARED, "finding", "reason") if answer[name] != trials[name]]
    return f"{cell}: {', '.join(f'{name} {answer[name]}, not {trials[name]}' for name in names)}" if names else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, print the counts and what differs, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("results", nargs="+")
    options.add_argument("--evidence", default="shipped")
    asked = options.parse_args(argv)
    held = places.shipped() if asked.evidence == "shipped" else places.of_named(asked.evidence)
    if held is None:
        raise SystemExit("no evidence is shipped; `probe publish-evidence` makes it")
    with opened(held.source, held.name, held.digest) as file:
        shipped = file.cells(facts=True)
    choice = for_package(Contents(cells=settled(asked.results), runs=[]), RULES_VERSION)
    own = choice.contents.cells
    wrong = list(differing(shipped, own))
    lacking = own.keys() - shipped.keys()
    print(f"{len(shipped)} cells ship, {len(shipped) - len(wrong)} as their trials say; {len(lacking)} more could")
    with tempfile.TemporaryDirectory() as folder:
        answers = list(audits(shipped.keys(), asked.evidence, Path(folder)))
    reached = {Cell.of(answer) for answer in answers} & shipped.keys()
    odd = [text for answer in answers if (text := contradicted(answer, own))]
    print(f"probe audit answers for {len(reached)} of them, and differs from the trials in {len(odd)} of its answers")
    for text in [*wrong, *odd][:SHOWN]:
        print(f"differs: {text}")
    return 1 if wrong or odd else 0


if __name__ == "__main__":
    sys.exit(main())
