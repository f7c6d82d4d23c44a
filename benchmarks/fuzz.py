"""Feed readers with samples that were altered at random: each ends in a value or in one of the project's errors.

    python benchmarks/fuzz.py [READER...] [--seconds 60] [--seed 1] [--only NUMBER]

Readers are the rows of four tables in tests/support: fuzzed_readers (frames, captures, request-logs, inventories,
evidence-text, evidence-files, results, ignore-files, pasted, driver-messages), fuzzed_inputs (cell-ignores, apps-files,
client-files, known-results, known-findings, bundles, named), fuzzed_programs (exec-greetings, exec-lines,
results-folders) and fuzzed_sites (action-inputs, evidence-urls, evidence-places). Samples are the project's own: what
its tests build, and recordings of its own runs. Each reader works in a process of its own, with 2 GiB of memory and 10
s of processor time per input. Prints, per reader, the number of inputs that were read and refused, and each kind of
failure with the number of the first input that shows it; `--only` repeats that input with its traceback. Exit code 1 if
an input failed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.errors import HarnessError, ProbeError
from tests.support import fuzzed_inputs, fuzzed_programs, fuzzed_readers, fuzzed_sites
from tests.support.fuzzed_readers import Reader, RefusedError
from tests.support.mutation import altered

TABLES = (fuzzed_readers, fuzzed_inputs, fuzzed_programs, fuzzed_sites)
READERS = {name: reader for table in TABLES for name, reader in table.READERS.items()}
MEMORY = 2 * 1024**3
LATE_S = 600
"""Seconds after its last moment by which a process has to end."""
PROCESSOR_S = 10
REFUSALS = (ProbeError, HarnessError, RefusedError)


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class SlowError(Exception):
    """An input took too long."""


def main() -> int:
    """Feed the readers; return the exit code."""
    arguments = _arguments()
    if arguments.only is not None:
        _one(READERS[arguments.readers[0]], arguments.seed, arguments.only, show=True)
        return 0
    if arguments.child:
        return _child(READERS[arguments.readers[0]], arguments.seed, arguments.seconds, arguments.first)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the child is ended, too
    load = os.getloadavg()[0]
    say(f"{os.cpu_count()} cores, load {load:.1f}; {arguments.seconds:g} s a reader, seed {arguments.seed}")
    failed = [_fed(name, arguments.seed, arguments.seconds) for name in arguments.readers or READERS]
    return int(any(failed))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", choices=[*READERS, []])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def _fed(name: str, seed: int, seconds: float) -> bool:
    """Feed a reader; return whether an input failed. A process that dies is started again behind its last input."""
    kinds: dict[str, int] = {}
    counts: Counter[str] = Counter()
    first, end = 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 1:
        command = [sys.executable, __file__, name, "--child", "--seed", str(seed)]
        command += ["--seconds", str(left), "--first", str(first)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left + LATE_S, check=False)
        except subprocess.TimeoutExpired:
            say(f"{name}: an input, or a machine without a core for it, took {LATE_S} s; no input is counted")
            return True
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for one in said:
            counts.update(one.get("counts", {}))
            if "kind" in one:
                kinds.setdefault(one["kind"], one["input"])
        if done.returncode == 0:
            break
        reached = max((one["input"] for one in said), default=first)
        kinds.setdefault(f"the process ended with {done.returncode}: {done.stderr.strip()[-200:]}", reached)
        first = reached + 1
    say(f"{name}: {counts['read']} read, {counts['refused']} refused, {counts['failed']} failed")
    for kind, number in kinds.items():
        say(f"  input {number}: {kind}")
    return bool(kinds)


def _child(reader: Reader, seed: int, seconds: float, first: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _slow)
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    number, end = first, time.monotonic() + seconds
    while time.monotonic() < end:
        if number % 100 == first % 100:
            say(json.dumps({"input": number, "counts": counts}))
            counts.clear()
        with fuzzed_sites.no_other_machine():
            answer = _one(reader, seed, number)
        counts[answer if answer in ("read", "refused") else "failed"] += 1
        if answer not in ("read", "refused") and answer not in seen:
            seen.add(answer)
            say(json.dumps({"input": number, "kind": answer}))
        number += 1
    say(json.dumps({"input": number, "counts": counts}))
    return 0


def _slow(_signal: int, _frame: FrameType | None) -> None:
    raise SlowError


def _one(reader: Reader, seed: int, number: int, *, show: bool = False) -> str:
    """Return what became of an input: `read`, `refused`, or the error with the place that raised it."""
    rng = random.Random(f"{reader.name} {seed} {number}")  # noqa: S311  # draws samples
    samples = reader.samples()
    name = rng.choice(sorted(samples))
    data = altered(samples[name], rng, samples[rng.choice(sorted(samples))])
    with tempfile.TemporaryDirectory() as folder:
        signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR_S)
        try:
            reader.read(name, data, Path(folder))
        except REFUSALS as error:
            return "refused" if "\n" not in str(error) else f"a message of several lines: {type(error).__name__}"
        except Exception as error:  # noqa: BLE001  # the errors that this looks for
            if show:
                traceback.print_exc()
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = next(
                (one for one in reversed(traceback.extract_tb(error.__traceback__)) if "/probe/" in one.filename), where
            )
            return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {str(error)[:120]}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "read"


if __name__ == "__main__":
    sys.exit(main())
