"""Measure judged trials per minute on the embedded engine, and the CPU use of harness, drivers and clusters.

    python benchmarks/throughput.py [--trials N] [--jobs N | --exactly N] [--client C]... [--scenario S]...
        [--security S]
    python benchmarks/throughput.py --compare [--base DIR] [--rounds N]

Runs `probe run` with results in a temporary folder and samples its processes in /proc (Linux). The rate counts from the
start of the first cluster, which excludes the time to fetch clients. Broken trials are not counted.
`--exactly N` turns adaptation off: N trials are in flight, whatever the state of the machine. `--compare` measures the
default and exactly 20, 40, 80, 120 and 160 in turn, and the default of another tree (`--base`, with its own .venv), and
ends with a table of ratios: about 4 minutes per round on two cores, 7 on one, and 1.5 more with `--base`.
A run takes the limits of its shell: `taskset -c 0`, `ulimit -n 512`, and `PROBE_MEMORY_MB=2000` for less memory.
Targets on 2 cores: 500 trials per minute, and less CPU for the harness than for drivers and clusters together.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.model import Outcome
from probe.processes.machine import MEMORY_VARIABLE, MachineFiles, usable_cores
from probe.processes.resources import file_limit
from probe.store import trials

CLIENTS = ("sarama@1.43.3", "sarama@1.61.1", "librdkafka@2.16.0", "kafka-python@3.0.12", "java@4.4.0")
SCENARIOS = ("disk/storage-error",)
ROLES = ("producer", "consumer")
AIM_PER_MINUTE, AIM_RATIO = 500, 1.0
SAMPLE_S = 0.25
TICKS = os.sysconf("SC_CLK_TCK")
KINDS = ("harness", "drivers", "clusters")
ROOT = Path(__file__).resolve().parents[1]
FIXED = (20, 40, 80, 120, 160)
DEFAULT, BASE = "default", "default of --base"
AIM_OF_BASE, AIM_OF_BEST = 2.5, 0.9
TRIALS, COMPARED_TRIALS = 6, 12


@dataclass
class Usage:
    """CPU seconds by process, as last sampled."""

    harness: int
    seen: dict[int, tuple[str, float]] = field(default_factory=dict)
    first_cluster: float | None = None
    start: float = 0.0
    """CPU seconds of the harness before the first cluster."""
    memory: MachineFiles = field(default_factory=MachineFiles)
    most_memory_mb: int = 0
    at_first_mb: int | None = None

    def sample(self) -> None:
        """Read /proc once."""
        free = self.memory.available_mb()
        if free is not None:
            self.at_first_mb = free if self.at_first_mb is None else self.at_first_mb
            self.most_memory_mb = max(self.most_memory_mb, self.at_first_mb - free)
        for pid, parent, seconds in _processes():
            if pid == self.harness:
                self.seen[pid] = ("harness", seconds)
                self.start = self.start if self.first_cluster else seconds
            elif parent in self.seen:
                kind = self.seen[pid][0] if pid in self.seen else self._kind(pid)
                self.seen[pid] = (kind, seconds)

    def _kind(self, pid: int) -> str:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return "drivers"
        if b"--advertise" not in words:
            return "drivers"
        self.first_cluster = self.first_cluster or time.monotonic()
        return "clusters"

    def by_kind(self) -> dict[str, float]:
        """Return CPU seconds by kind of process."""
        total = dict.fromkeys(KINDS, 0.0)
        for kind, seconds in self.seen.values():
            total[kind] += seconds
        return total


@dataclass(frozen=True)
class Measured:
    """One run."""

    judged: int
    broken: int
    seconds: float
    start_s: float
    usage: Usage

    @property
    def rate(self) -> float:
        """Judged trials per minute."""
        return 60 * self.judged / self.seconds

    @property
    def cores(self) -> float:
        """Cores that the run kept busy."""
        return sum(self.usage.by_kind().values()) / self.seconds


def main() -> None:
    """Run, sample, report."""
    arguments = _arguments()
    say(
        f"{usable_cores()} of {os.cpu_count()} cores, {file_limit()} open files, "
        f"{os.environ.get(MEMORY_VARIABLE) or MachineFiles().available_mb()} MB of memory, "
        f"load {os.getloadavg()[0]:.1f} before; a busy machine makes the numbers worth little"
    )
    if arguments.compare:
        compare(arguments)
        return
    found = measure(arguments, arguments.jobs, arguments.exactly)
    say(f"{found.judged} trials judged in {found.seconds:.0f} s: {found.rate:.0f} per minute (aim {AIM_PER_MINUTE})")
    say(f"{found.broken} broken; {found.usage.most_memory_mb} MB of memory; the start took {found.start_s:.1f} s")
    report_cpu(found.usage.by_kind(), max(1, found.judged), found.seconds)
    say(f"the start of the harness, which is part of its CPU: {found.usage.start:.1f} CPU s")


def measure(arguments: argparse.Namespace, jobs: int = 0, exactly: int = 0, root: Path = ROOT) -> Measured:
    """Run once with results in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        usage, ended = watch([*command(arguments, jobs, exactly, root), "--results", folder], root)
        rows = list(trials(folder))
    judged = sum(1 for row in rows if row.verdict.outcome is not Outcome.BROKEN)
    first = usage.first_cluster or begun
    return Measured(judged, len(rows) - judged, ended - first, first - begun, usage)


def compare(arguments: argparse.Namespace) -> None:
    """Measure every setting in turn, and print a table with the ratios of medians."""
    settings = [DEFAULT, *(f"exactly {number}" for number in FIXED), *([BASE] if arguments.base else [])]
    numbers = dict(zip(settings[1:], FIXED, strict=False))
    found: dict[str, list[Measured]] = {name: [] for name in settings}
    for turn in range(arguments.rounds):
        for name in settings:
            root = Path(arguments.base).resolve() if name == BASE else ROOT
            one = measure(arguments, exactly=numbers.get(name, 0), root=root)
            found[name].append(one)
            say(f"round {turn + 1}, {name}: {one.rate:.0f} per minute, {one.broken} broken, {one.cores:.2f} cores busy")
    rates = {name: statistics.median(one.rate for one in runs) for name, runs in found.items()}
    best = max(rates[name] for name in numbers)
    say(f"\n{'setting':18} {'per minute':>10} {'of the best':>12} {'broken':>7} {'cores':>6} {'MB':>6}")
    for name, runs in found.items():
        cores = statistics.median(one.cores for one in runs)
        memory = max(one.usage.most_memory_mb for one in runs)
        broken = sum(one.broken for one in runs)
        say(f"{name:18} {rates[name]:10.0f} {rates[name] / best:12.2f} {broken:7} {cores:6.2f} {memory:6}")
    say(f"default / best fixed number: {rates[DEFAULT] / best:.2f} (aim: at least {AIM_OF_BEST})")
    if arguments.base:
        say(f"default / default of --base: {rates[DEFAULT] / rates[BASE]:.2f} (aim: at least {AIM_OF_BASE})")


def report_cpu(total: dict[str, float], judged: int, seconds: float) -> None:
    """Print the CPU seconds by kind, and the ratio of the harness to the rest."""
    for kind in KINDS:
        say(f"{kind:10} {total[kind]:7.1f} CPU s  {1000 * total[kind] / judged:6.0f} ms per trial")
    rest = total["drivers"] + total["clusters"]
    say(f"harness / (drivers + clusters): {total['harness'] / max(rest, 0.01):.2f} (aim: at most {AIM_RATIO})")
    say(f"{sum(total.values()) / seconds:.2f} cores busy with it")


def command(arguments: argparse.Namespace, jobs: int, exactly: int, root: Path) -> list[str]:
    """Return the command line of the run without its results folder."""
    python = sys.executable if root == ROOT else str(root / ".venv" / "bin" / "python")
    count = arguments.trials or (COMPARED_TRIALS if arguments.compare else TRIALS)
    argv = [python, "-m", "probe.cli.app", "run", "--trials", str(count), "--seed", "1"]
    argv += ["--jobs", str(jobs)] if jobs else []
    argv += ["--exactly", str(exactly)] if exactly else []
    argv += ["--security", arguments.security] if arguments.security else []
    for option, values, usual in (
        ("--client", arguments.client, CLIENTS),
        ("--scenario", arguments.scenario, SCENARIOS),
        ("--role", arguments.role, ROLES),
    ):
        argv += [word for value in values or usual for word in (option, value)]
    return argv


def watch(argv: Sequence[str], root: Path = ROOT) -> tuple[Usage, float]:
    """Run a command to its end and sample the CPU seconds of its processes."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, cwd=root) as process:
        usage = Usage(process.pid)
        try:
            while process.poll() is None:
                usage.sample()
                time.sleep(SAMPLE_S)
        finally:
            process.terminate()
    if process.returncode not in {0, 3}:
        raise SystemExit(f"the run ended with code {process.returncode}")
    return usage, time.monotonic()


def _processes() -> list[tuple[int, int, float]]:
    """Return (pid, parent, CPU seconds) of all processes, parents first."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found.append((int(folder.name), int(words[1]), (int(words[11]) + int(words[12])) / TICKS))
    return sorted(found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, help=f"trials per cell; {TRIALS}, or {COMPARED_TRIALS} with --compare")
    parser.add_argument("--jobs", type=int, default=0, help="trials at the same time; 0 = the default of the command")
    parser.add_argument("--exactly", type=int, default=0, help="trials in flight, without adaptation")
    parser.add_argument("--compare", action="store_true", help="compare the default with fixed numbers")
    parser.add_argument("--base", metavar="DIR", help="with --compare: another tree whose default is measured, too")
    parser.add_argument("--rounds", type=int, default=2, help="with --compare: runs of each setting")
    parser.add_argument("--security", help="security of the listeners, as of `probe run`")
    for name in ("--client", "--scenario", "--role"):
        parser.add_argument(name, action="append")
    return parser.parse_args()


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
