"""Measure the CPU time of building the site of a large matrix, here and in other checkouts, from the same results.

    python benchmarks/pages.py --results FOLDER [--cells N] [--tree CHECKOUT]... [--times N] [--processes N] [--out DIR]

The results are real ones of the embedded engine. They are copied until the matrix has at least `--cells` cells; every
copy has versions of its own, and the events are those of the original. Every tree builds its tables, and then its pages
into an empty folder with its own Python (`.venv`), in turn, `--times` times; Spark is not measured. Times are user and
system CPU seconds of the whole process tree. `diff -rq OUT/0/site OUT/1/site` compares the sites; `--out` keeps them.
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

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.model.columns import IDENTITY
from probe.store.files import ROWS_PER_GROUP

ROOT = Path(__file__).resolve().parents[1]
SEQ = 100_000
"""Added to the number of a file per copy; a run has fewer files."""
KINDS = ("trials", "events", "verdicts")
BUILD = """
import os, sys
from functools import partial
from pathlib import Path
try:
    from probe.cli.wiring.captures import Captures
    from probe.cli.wiring.catalogue import inside
    from probe.cli.wiring.publication import stamp
except ImportError:  # 3eb8ea2
    from probe.cli.captures import Captures
    from probe.cli.compose import inside
    from probe.cli.publish import stamp
from probe.site import Source, build
from probe.store import histories, trials
if __name__ == "__main__":
    results, matrix, out, processes = sys.argv[1:]
    source = Source(partial(trials, results), partial(histories, results), partial(stamp, results), Captures(results))
    build(Path(matrix), source, Path(out), inside, "", int(processes))
"""


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="folder with results of the embedded engine")
    parser.add_argument("--cells", type=int, default=16_000)
    parser.add_argument("--tree", type=Path, action="append", default=[], help="another checkout, with its .venv")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="folder that is kept; default: a temporary one")
    args = parser.parse_args()
    place = args.out or Path(tempfile.mkdtemp(prefix="probe-pages-"))
    try:
        place.mkdir(parents=True, exist_ok=True)
        _measure(args, place)
    finally:
        if args.out is None:
            shutil.rmtree(place, ignore_errors=True)


def _measure(args: argparse.Namespace, place: Path) -> None:
    many = place / "results"
    if not many.exists():
        cells = multiply(args.results, many, args.cells)
        sys.stdout.write(f"{cells:,} cells in {many}\n")
    trees = [ROOT, *(tree.resolve() for tree in args.tree)]
    spent: dict[Path, list[float]] = {tree: [] for tree in trees}
    for nth, tree in enumerate(trees):
        out = place / str(nth)
        if not (out / "matrix.csv").exists():
            _run(tree, "-m", "spark.job", "--results", str(many), "--out", str(out))
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} before\n")
    for _ in range(args.times):
        for nth, tree in enumerate(trees):
            out = place / str(nth)
            shutil.rmtree(out / "site", ignore_errors=True)
            cpu = _build(tree, many, out, place, args.processes)
            spent[tree].append(cpu)
            sys.stdout.write(f"{tree}: {cpu:.1f} s of CPU\n")
            sys.stdout.flush()
    ours = statistics.median(spent[ROOT])
    for tree in trees[1:]:
        sys.stdout.write(f"{ours / statistics.median(spent[tree]):.2f} of {tree} (medians)\n")
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} after\n")


def multiply(results: Path, target: Path, cells: int) -> int:
    """Copy results until they have at least `cells` cells; return their number.

    Copy n of a version 1.2.3 is called 1.2.3.n, in columns and headers. Its files have numbers of their own.
    """
    known = {
        tuple(cell.values())
        for path in results.glob("run_id=*/trials/*.parquet")
        for cell in pq.read_table(path, columns=_identity(path)).to_pylist()
    }
    copies = -(-cells // len(known))
    for folder in sorted(results.glob("run_id=*")):
        shutil.copytree(folder, target / folder.name)
        for path in sorted(one for kind in KINDS for one in (folder / kind).glob("*.parquet")):
            table = pq.read_table(path)
            shard, _, seq = path.stem.rpartition("-")
            for copy in range(1, copies):
                name = f"{shard}-{int(seq) + copy * SEQ:06d}.parquet"
                write = target / path.relative_to(results).with_name(name)
                pq.write_table(_renamed(table, copy), write, compression="zstd", row_group_size=ROWS_PER_GROUP)
    return len(known) * copies


def _identity(path: Path) -> list[str]:
    """Return the columns of a file that identify its cells; results of an older program lack some."""
    there = pq.read_schema(path).names
    return [name for name in IDENTITY if name in there]


def _renamed(table: pa.Table, copy: int) -> pa.Table:
    columns = {name: table[name] for name in table.column_names}
    columns["version"] = pc.binary_join_element_wise(table["version"], str(copy), ".")
    if "header" in columns:
        columns["header"] = pc.replace_substring_regex(
            table["header"], r'^(\{"cell":\{"family":"[^"]*","version":"[^"]*)"', rf'\1.{copy}"', max_replacements=1
        )
    return pa.table(columns, schema=table.schema)


def _build(tree: Path, results: Path, out: Path, place: Path, processes: int) -> float:
    """Build the pages with the code of a tree; return CPU seconds."""
    script = place / "build_pages.py"
    script.write_text(BUILD, encoding="utf-8")
    before = _children()
    _run(tree, str(script), str(results), str(out / "matrix.csv"), str(out), str(processes))
    return _children() - before


def _run(tree: Path, *words: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    subprocess.run([str(tree / ".venv/bin/python"), *words], check=True, cwd=tree, env=environment)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
