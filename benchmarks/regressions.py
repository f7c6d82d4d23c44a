"""Regressions and harmless changes written into copies of client libraries, each checked with `probe check`.

    python benchmarks/regressions.py RESULTS [--family FAMILY] [--only KIND] [--whole]

Each change is made in a copy of the newest listed release, as its registry serves it, and checked beside that release:
a regression in its cell, a harmless change in the cells of that library's regressions; `--whole` plays the whole check
instead (docs/check.md). A regression must be `worse` in its cell, and no cell after a harmless change. RESULTS gets a
folder of results per change.
Prints a row per change; exit code 1 if one is wrong. sarama has no back-off among its regressions: without the one of
its producer or consumer, and that of its metadata, `leader/election-slow` does no more harm than with it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.release_sources import checkout
from probe.cli.wiring.catalogue import families

ROOT = Path(__file__).resolve().parents[1]
PYTHON, GO = "kafka-python", "sarama"
REFUSED, MOVED, SLOW, CUT = "topic/too-few-replicas", "leader/elected", "leader/election-slow", "net/reset"


@dataclass(frozen=True, slots=True)
class Edit:
    """A text of a file, every occurrence of which is replaced."""

    file: str
    """Relative to the root of the copy."""
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a library's source, and the cell in which it must be worse."""

    family: str
    kind: str
    edits: tuple[Edit, ...]
    cell: str = ""
    """The name of the cell, as a check prints it; empty = harmless."""


CHANGES = (
    Change(
        PYTHON,
        "error-code-dropped",
        (Edit("kafka/errors.py", "NotEnoughReplicasError(RetriableError, ", "NotEnoughReplicasError("),),
        f"producer {REFUSED}",
    ),
    Change(
        PYTHON,
        "back-off-of-zero",
        tuple(
            Edit(f"kafka/{file}", "'retry_backoff_ms': 100", "'retry_backoff_ms': 0")
            for file in ("producer/kafka.py", "cluster.py")
        ),
        f"producer {SLOW}",
    ),
    Change(
        PYTHON,
        "connection-never-closed",
        (Edit("kafka/net/transport.py", "return self.abort(error=err)", "return"),),
        f"producer {CUT}",
    ),
    Change(
        PYTHON,
        "log-line",
        (Edit("kafka/net/transport.py", "log.error('%s: Abort (%s)'", "log.info('%s: Given up (%s)'"),),
    ),
    Change(
        PYTHON,
        "rename",
        tuple(
            Edit("kafka/producer/record_accumulator.py", old, old.replace("retry_backoff", "pause_s"))
            for old in ("retry_backoff = self", "batch.last_attempt + retry_backoff)", "= retry_backoff if")
        ),
    ),
    Change(
        PYTHON,
        "slower-by-5-ms",
        (
            Edit(
                "kafka/net/connection.py",
                "        responses = self.parser.receive_bytes(data)",
                "        time.sleep(0.005)\n        responses = self.parser.receive_bytes(data)",
            ),
        ),
    ),
    Change(
        GO,
        "error-code-dropped",
        (Edit("async_producer.go", "ErrLeaderNotAvailable, ErrNotLeaderForPartition,", "ErrLeaderNotAvailable,"),),
        f"producer {MOVED}",
    ),
    Change(
        GO,
        "connection-never-closed",
        (
            Edit("broker.go", "if !shouldCloseBrokerConn(err) {", "if !errors.Is(err, ErrShuttingDown) {"),
            Edit("async_producer.go", "\t\t_ = bp.broker.Close()\n", ""),
            Edit("client.go", "\t\t\tclient.deregisterBroker(broker)\n\t\t\t_ = broker.Close()\n", ""),
        ),
        f"producer {CUT}",
    ),
    Change(GO, "log-line", (Edit("async_producer.go", "state change to [closing] because", "is given up because"),)),
    Change(GO, "rename", (Edit("async_producer.go", "retryAsBatch", "whole"),)),
    Change(
        GO,
        "slower-by-5-ms",
        (
            Edit(
                "async_producer.go",
                "\tretryAsBatch := bp.parent",
                "\ttime.Sleep(5 * time.Millisecond)\n\tretryAsBatch := bp.parent",
            ),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer of a check."""

    code: int
    """Its exit code."""
    cells: dict[str, dict[str, Any]]
    """Cells by name, as docs/schema/check.json describes them."""
    said: str
    """The last line of standard error."""
    seconds: float

    @property
    def worse(self) -> list[str]:
        """Names of the cells that are worse."""
        return [name for name, one in self.cells.items() if one["answer"] == "worse"]


def source_of(family: str, folder: Path) -> Path:
    """Return a copy of the newest listed release of a library, which can be changed. ProvisionError without one."""
    found = families()[family]
    return checkout(found, found.newest, folder)


def apply(change: Change, source: Path) -> None:
    """Make a change. LookupError where the source has not got the text any more."""
    for edit in change.edits:
        file = source / edit.file
        text = file.read_text(encoding="utf-8")
        if edit.old not in text:
            raise LookupError(f"{edit.file} of {change.family} has no {edit.old!r} any more")
        file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def checked(family: str, source: Path, results: Path, scope: Sequence[str]) -> Checked:
    """Run `probe check` of a source with these options. RuntimeError if it prints no result."""
    line = ["check", f"{family}@path:{source}", "--results", str(results), "--json", *scope]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "run.py", "probe", *line], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if not done.stdout:
        raise RuntimeError(done.stderr.strip())
    cells = {one["name"]: one for one in json.loads(done.stdout)["cells"]}
    return Checked(done.returncode, cells, done.stderr.strip().splitlines()[-1], time.monotonic() - began)


def scope_of(change: Change) -> list[str]:
    """Return the options that select the cell of a regression; for a harmless change those of its library's."""
    cells = [one.cell.split() for one in CHANGES if one.family == change.family and one.cell]
    mine = [change.cell.split()] if change.cell else cells
    roles = [option for role in dict.fromkeys(one[0] for one in mine) for option in ("--role", role)]
    scenarios = [option for one in mine for option in ("--scenario", one[1])]
    return [*roles, *scenarios, "--profile", "isolated"]


def is_right(change: Change, found: Checked) -> bool:
    """Return whether a regression is worse in its cell, or no cell after a harmless change."""
    return change.cell in found.worse and found.code == 1 if change.cell else not found.worse and found.code == 0


def row(change: Change, found: Checked) -> str:
    """Return the row of docs/check.md."""
    said = f"worse: {', '.join(found.worse)}" if found.worse else "nothing worse"
    wrong = "" if is_right(change, found) else " **wrong**"
    return f"| {change.family} | {change.kind} | {said}{wrong} | {len(found.cells)} | {found.seconds:.0f} s |"


def main() -> int:
    """Check the changes and print a row for each. Return 1 if one is called what it is not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--family", action="append", choices=(PYTHON, GO), default=[])
    parser.add_argument("--only", action="append", metavar="KIND", default=[])
    parser.add_argument("--whole", action="store_true", help="the whole check, and not the cells of the regressions")
    asked = parser.parse_args()
    wrong = 0
    for change in CHANGES:
        if change.family not in (asked.family or (PYTHON, GO)) or change.kind not in (asked.only or (change.kind,)):
            continue
        with tempfile.TemporaryDirectory(prefix="regression-") as folder:
            source = source_of(change.family, Path(folder))
            apply(change, source)
            results = asked.results / f"{change.family}-{change.kind}"
            found = checked(change.family, source, results, [] if asked.whole else scope_of(change))
        wrong += not is_right(change, found)
        sys.stdout.write(f"{row(change, found)}\n")
        sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
