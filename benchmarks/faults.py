"""Play faults of the harness's own surroundings during small real runs, and check what each of them left.

    python benchmarks/faults.py N [--seed 1] [--kind KIND] [--seconds S] [--state FOLDER] [--resume]

A round is a run of sarama 1.43.2 and 1.43.3 in disk/storage-error on the embedded engine, in a folder of its own and
with marked processes; one fault of a kind, drawn by the seed, is played while it runs. Afterwards no process, mount,
lock or temporary file may be left, no command may hang, exit codes and messages must be those of docs/operations.md,
what was stored must be read, and `--resume` must bring each cell to an outcome that one of forty calm trials had.
Rounds take the kinds in turn. Each is written to the state folder, so that `--resume` goes on behind the last one.
Prints the rounds with findings, and a table by kind. Exit code 1 if there is a finding.

As root, with a C compiler for `clock`. Control groups are those of version 1.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.files.atomic_writes import write_file
from probe.toolchain.tools import cache_root
from tests.support.faults.checks import findings
from tests.support.faults.examination import observed
from tests.support.faults.kinds import KINDS
from tests.support.faults.round import SELECT, Round

CALM_TRIALS = 40
SHORT = ("--watch", "3")
"""A watch that most rounds have; one in `LONG_EVERY` plays on until the known fault is certain."""
LONG_EVERY = 4

Calm = Mapping[str, frozenset[str]]


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Play the rounds; return the exit code."""
    arguments = _arguments()
    state = Path(arguments.state or cache_root() / "faults")
    state.mkdir(parents=True, exist_ok=True)
    log = state / f"seed-{arguments.seed}.jsonl"
    if not arguments.resume:
        log.unlink(missing_ok=True)
    done = _read(log)
    kinds = [arguments.kind] if arguments.kind else list(KINDS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what a round started and mounted is taken back
    end = time.monotonic() + arguments.seconds
    for nth in range(arguments.rounds):
        if time.monotonic() > end:
            break
        number, kind = nth // len(kinds), kinds[nth % len(kinds)]
        if any((one["kind"], one["number"]) == (kind, number) for one in done):
            continue
        one = _played(kind, number, arguments.seed, state)
        done.append(one)
        with log.open("a") as file:
            file.write(json.dumps(one) + "\n")
        say(f"{kind} {number}, {one['seconds']:.0f} s: {'; '.join(one['notes']) or 'nothing was hit'}")
        for line in one["findings"]:
            say(f"    {line}")
    _table(done)
    return int(any(one["findings"] for one in done))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=[*KINDS])
    parser.add_argument("--state", metavar="FOLDER", help="default: `faults` in the cache")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no round after this time")
    parser.add_argument("--resume", action="store_true", help="go on behind the rounds of this seed that are stored")
    return parser.parse_args()


def _read(log: Path) -> list[dict[str, Any]]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def _played(kind: str, number: int, seed: int, state: Path) -> dict[str, Any]:
    """Play one round; return its row. The folder stays if there is a finding."""
    rng = random.Random(f"{seed} {kind} {number}")  # noqa: S311  # draws moments
    select = SELECT if rng.randrange(LONG_EVERY) == 0 else (*SELECT, *SHORT)
    calm = _calm(state, select)
    folder = Path(tempfile.mkdtemp(prefix=f"faults-{kind}-"))
    round_ = Round(folder, rng, select)
    began = time.monotonic()
    with round_.ending:
        KINDS[kind](round_)
        found = findings(observed(round_), calm)
    if not found:
        shutil.rmtree(folder)
    row = {"kind": kind, "number": number, "seconds": time.monotonic() - began, "notes": round_.notes}
    return row | {"findings": found, "folder": str(folder) if found else ""}


def _calm(state: Path, select: tuple[str, ...]) -> Calm:
    """Return the outcomes of calm trials by cell, which are played once per state folder."""
    file = state / f"calm{'-short' if SHORT[0] in select else ''}.json"
    if not file.exists():
        with tempfile.TemporaryDirectory(prefix="faults-calm-") as folder:
            round_ = Round(Path(folder), random.Random(0), (*select, "--trials", str(CALM_TRIALS)))  # noqa: S311
            with round_.running(*round_.run()):
                pass
            seen = observed(round_)
            if wrong := findings(seen, seen.final):
                raise SystemExit(f"calm trials failed: {'; '.join(wrong)}")
        write_file(file, json.dumps({cell: sorted(had) for cell, had in seen.final.items()}, indent=1))
    return {cell: frozenset(had) for cell, had in json.loads(file.read_text()).items()}


def _table(done: list[dict[str, Any]]) -> None:
    say("\n| kind | rounds | hit | with findings |\n|---|---|---|---|")
    for kind in KINDS:
        rows = [one for one in done if one["kind"] == kind]
        hit, wrong = (sum(bool(one[name]) for one in rows) for name in ("notes", "findings"))
        if rows:
            say(f"| {kind} | {len(rows)} | {hit} | {wrong} |")


if __name__ == "__main__":
    sys.exit(main())
