"""Measure judged trials per minute on the embedded engine, and the CPU use of harness, drivers and clusters.

    python benchmarks/throughput.py [--trials N] [--jobs N] [--client C]... [--scenario S]... [--role R]...

Runs `probe run` with results in a temporary folder and samples its processes in /proc (Linux). The rate counts from the
start of the first cluster, which excludes the time to fetch clients. Broken trials are not counted.
Targets on 2 cores: 500 trials per minute, and less CPU for the harness than for drivers and clusters together.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.model import Outcome
from probe.store import trials

CLIENTS = ("sarama@1.43.3", "sarama@1.61.1", "librdkafka@2.16.0", "kafka-python@3.0.12", "java@4.4.0")
SCENARIOS = ("disk/storage-error",)
ROLES = ("producer", "consumer")
AIM_PER_MINUTE, AIM_RATIO = 500, 1.0
SAMPLE_S = 0.25
TICKS = os.sysconf("SC_CLK_TCK")
KINDS = ("harness", "drivers", "clusters")


@dataclass
class Usage:
    """CPU seconds by process, as last sampled."""

    harness: int
    seen: dict[int, tuple[str, float]] = field(default_factory=dict)
    first_cluster: float | None = None
    start: float = 0.0
    """CPU seconds of the harness before the first cluster."""

    def sample(self) -> None:
        """Read /proc once."""
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


def main() -> None:
    """Run, sample, report."""
    arguments = _arguments()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        usage, ended = watch([*command(arguments), "--results", folder])
        rows = list(trials(folder))
    judged = [row for row in rows if row.verdict.outcome is not Outcome.BROKEN]
    say(f"{os.cpu_count()} cores, load {load:.1f} before; a busy machine makes the numbers worth little")
    seconds = ended - (usage.first_cluster or begun)
    rate = 60 * len(judged) / seconds
    say(f"{len(judged)} trials judged in {seconds:.0f} s: {rate:.0f} per minute (aim {AIM_PER_MINUTE})")
    say(f"{len(rows) - len(judged)} broken; the start took {(usage.first_cluster or begun) - begun:.1f} s")
    report_cpu(usage.by_kind(), max(1, len(judged)), seconds)
    say(f"the start of the harness, which is part of its CPU: {usage.start:.1f} CPU s")


def report_cpu(total: dict[str, float], judged: int, seconds: float) -> None:
    """Print the CPU seconds by kind, and the ratio of the harness to the rest."""
    for kind in KINDS:
        say(f"{kind:10} {total[kind]:7.1f} CPU s  {1000 * total[kind] / judged:6.0f} ms per trial")
    rest = total["drivers"] + total["clusters"]
    say(f"harness / (drivers + clusters): {total['harness'] / max(rest, 0.01):.2f} (aim: at most {AIM_RATIO})")
    say(f"{sum(total.values()) / seconds:.2f} cores busy with it")


def command(arguments: argparse.Namespace) -> list[str]:
    """Return the command line of the run without its results folder."""
    argv = [sys.executable, "-m", "probe.cli.app", "run", "--trials", str(arguments.trials), "--seed", "1"]
    argv += ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    for option, values, usual in (
        ("--client", arguments.client, CLIENTS),
        ("--scenario", arguments.scenario, SCENARIOS),
        ("--role", arguments.role, ROLES),
    ):
        argv += [word for value in values or usual for word in (option, value)]
    return argv


def watch(argv: Sequence[str]) -> tuple[Usage, float]:
    """Run a command to its end and sample the CPU seconds of its processes."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, cwd=Path(__file__).resolve().parents[1]) as process:
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
    parser.add_argument("--trials", type=int, default=6, help="trials per cell")
    parser.add_argument("--jobs", type=int, default=0, help="trials at the same time; 0 = the default of the command")
    for name in ("--client", "--scenario", "--role"):
        parser.add_argument(name, action="append")
    return parser.parse_args()


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
