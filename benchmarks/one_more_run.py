"""Costs of one more run on a long history: `python -m spark.job` with nothing new, and with its last run new.

`python benchmarks/one_more_run.py [--rows 1000000 10000000] [--tree DIR ...]` prints user and system CPU seconds of all
processes, medians of `--times`. "beyond" is the difference of the two. Trees are measured in turn on equal histories,
each with its own program; the first one is this checkout.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WRITE = "import sys; from pathlib import Path; from synthetic import write_history; "
WRITE += "write_history(Path(sys.argv[1]), int(sys.argv[2]))"


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--tree", type=Path, action="append", default=[], help="another checkout, with its .venv")
    parser.add_argument("--times", type=int, default=3)
    args = parser.parse_args()
    trees = [ROOT, *args.tree]
    sys.stdout.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before\n")
    for rows in args.rows:
        with tempfile.TemporaryDirectory() as scratch:
            pairs = [(tree, Path(scratch, str(nth))) for nth, tree in enumerate(trees)]
            for tree, place in pairs:
                run(tree, ["-c", WRITE, str(place / "results"), str(rows)], cwd=tree / "benchmarks")
            found = [[measure(tree, place) for tree, place in pairs] for _ in range(args.times)]
        for nth in range(len(trees)):
            idle, more = (statistics.median(one[nth][part] for one in found) for part in (0, 1))
            beyond = ", ".join(f"{one[nth][1] - one[nth][0]:.1f}" for one in found)
            sys.stdout.write(f"{rows} rows, tree {nth}: nothing new {idle:.1f} s, one more run {more:.1f} s")
            sys.stdout.write(f", beyond {more - idle:.1f} s ({beyond})\n")


def measure(tree: Path, place: Path) -> tuple[float, float]:
    """Return the CPU seconds of a build with nothing new, and of one whose last run is new."""
    results, out, aside = place / "results", place / "out", place / "aside"
    last = max(results.glob("run_id=*"))
    job = ["-m", "spark.job", "--results", str(results), "--out", str(out)]
    last.rename(aside)
    for kept in (out, results / "settled"):
        shutil.rmtree(kept, ignore_errors=True)
    run(tree, job, cwd=tree)
    idle = run(tree, job, cwd=tree)
    aside.rename(last)
    return idle, run(tree, job, cwd=tree)


def run(tree: Path, words: list[str], *, cwd: Path) -> float:
    """Run a tree's Python and return the CPU seconds of all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    argv = [str(tree / ".venv/bin/python"), *words]
    subprocess.run(argv, check=True, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1800)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
