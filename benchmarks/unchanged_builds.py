"""Whole checks of builds that are unchanged, beside their own release: false alarms and time (docs/check.md).

    python benchmarks/unchanged_builds.py RESULTS [--checks 20] [--family FAMILY] [--seconds 1200] [--exactly N]

Each check is `probe check FAMILY@path:PLACE`, with `--exactly` N trials in flight, whatever else the machine does: the
newest listed release of a library, as its registry serves it, beside itself. The libraries are checked in turn. What
was said is kept in RESULTS/checks.tsv, and the command goes on where it stopped; no check begins after SECONDS. Prints
a row per library: checks, cells, cells called worse, better, undecided, time, and how that of the last check divides.
Exit code 1 if a cell is worse.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.kept_rows import KeptRows
from benchmarks.regressions import Checked, checked
from benchmarks.release_sources import release_source
from probe.cli.wiring.catalogue import families
from probe.store import RunInfo, runs

LIBRARIES = ("sarama", "librdkafka", "kafka-python", "franz-go", "java")
TABLE = "checks.tsv"


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a check; all values as text, as they are stored."""

    family: str
    version: str
    cells: str
    worse: str
    """Names of the cells, separated by semicolons."""
    better: str
    undecided: str
    trials: str
    """Judged trials of all its runs."""
    seconds: str
    """From the start of the command to its end, the build included."""
    runs: str
    """Seconds of each run: the screen, then each round of fresh trials."""


def row_of(family: str, version: str, found: Checked, played: Sequence[RunInfo]) -> Row:
    """Return the row of a check."""
    named = {
        answer: ";".join(name for name, one in found.cells.items() if one["answer"] == answer)
        for answer in ("worse", "better", "undecided")
    }
    return Row(
        family=family,
        version=version,
        cells=str(len(found.cells)),
        trials=str(sum(one.trials for one in played)),
        seconds=f"{found.seconds:.0f}",
        runs=" ".join(f"{_seconds(one):.0f}" for one in played),
        **named,
    )


def _seconds(run: RunInfo) -> float:
    """Return the length of a finished run."""
    (shard,) = run.shards
    return (datetime.fromisoformat(shard["finished"]) - datetime.fromisoformat(shard["started"])).total_seconds()


def report(rows: Sequence[Row]) -> None:
    """Print a row of docs/check.md per library, and one of all."""
    for family in (*dict.fromkeys(one.family for one in rows), "all"):
        mine = [one for one in rows if family in (one.family, "all")]
        cells = sum(int(one.cells) for one in mine)
        said = [sum(len(getattr(one, name).split(";")) for one in mine if getattr(one, name)) for name in NAMES]
        times = [int(one.seconds) for one in mine]
        last = "" if family == "all" else f"{mine[-1].trials} trials; {' + '.join(mine[-1].runs.split())} s"
        spread = f"{median(times):.0f} ({min(times)} to {max(times)}) s"
        sys.stdout.write(f"| {family} | {len(mine)} | {cells} | {' | '.join(map(str, said))} | {spread} | {last} |\n")
    sys.stdout.flush()


NAMES = ("worse", "better", "undecided")


def main() -> int:
    """Check what is missing and print the table. Return 1 if a cell of an unchanged build is worse."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--checks", type=int, default=20)
    parser.add_argument("--family", action="append", choices=LIBRARIES, default=[])
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--exactly", metavar="N", help="trials in flight")
    asked = parser.parse_args()
    kept, until = KeptRows(asked.results / TABLE, Row), time.monotonic() + asked.seconds
    libraries = asked.family or LIBRARIES
    while len(kept.rows) < asked.checks and time.monotonic() < until:
        done = Counter(one.family for one in kept.rows)
        family = families()[min(libraries, key=lambda name: done[name])]
        results = asked.results / f"{family.family}-{done[family.family] + 1}-{time.time_ns()}"
        with tempfile.TemporaryDirectory(prefix="unchanged-") as folder:
            source = release_source(family, family.newest, Path(folder))
            found = checked(family.family, source, results, ["--exactly", asked.exactly] if asked.exactly else [])
        kept.add(row_of(family.family, family.newest.version, found, runs(str(results))))
        report(kept.rows[-1:])
    report(kept.rows)
    return 1 if any(one.worse for one in kept.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
