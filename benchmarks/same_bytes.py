"""Whether two trees give the same bytes: what a change of the code that must change no behaviour is checked with.

    python benchmarks/same_bytes.py RESULTS BEFORE AFTER [--keep FOLDER] [--only PART...]

BEFORE and AFTER are checkouts, each with its `.venv`; RESULTS has stored runs, of which each tree gets a copy. Parts:

* `matrix`: `probe matrix` of the results: matrix.csv, tables, pages.
* `judge`: every stored trial judged again, what changed, and the matrix of the new verdicts.
* `plan`: `probe plan --json` of every client, version, scenario and workload, for each engine, with one seed.
* `documents`: pages and JSON schemas that are generated from the code.
* `help`: every command's `--help`.
* `lookup`: `probe lookup` of every version of every client from the evidence that ships, as text and as JSON.

All have one fixed clock. Parquet files are compared by their rows, all others by their bytes; `.probe-site` is left
out. Prints what differs; exit code 1 if anything does. With `--keep`, both outputs stay, and parts that it has already
are not made again.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

MOMENT = "2026-12-01T12:00:00+00:00"
SEED = "55"
LEFT_OUT = ".probe-site"
PAGES = ("scenarios_page", "validation_page")
TOOK = re.compile(r"(?<=matrix and site) in [\d.]+ s")
"""Seconds that a command says it took."""
SHOWN = 20
"""Files that differ, named at most per part."""


def main() -> int:
    """Make the parts of both trees, compare them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("trees", type=Path, nargs=2, metavar="TREE")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        sides = [folder / "before", folder / "after"]
        for side, tree in zip(sides, options.trees, strict=True):
            for part in options.only:
                if not (side / part).exists():
                    make(tree.resolve(), part, options.results.resolve(), side / part)
        counts = [_report(part, *(side / part for side in sides)) for part in options.only]
    return int(any(counts))


def make(tree: Path, part: str, results: Path, out: Path) -> None:
    """Let a tree's own program make a part; subprocess.CalledProcessError if it fails."""
    half = out.with_name(f"{out.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    argv = [str(tree / ".venv/bin/python"), str(Path(__file__).resolve()), "--make", part, str(results)]
    subprocess.run(argv, check=True, cwd=half, env=os.environ | {"PYTHONPATH": str(tree), "COLUMNS": "100"})
    half.rename(out)


def _report(part: str, before: Path, after: Path) -> int:
    """Print what differs in a part, and return the number of files."""
    found = [dict(digests(folder)) for folder in (before, after)]
    differ = sorted(name for name in found[0].keys() | found[1].keys() if found[0].get(name) != found[1].get(name))
    sys.stdout.write(f"{part}: {len(found[0])} files, {len(differ)} differ\n")
    sys.stdout.writelines(f"  {name}\n" for name in differ[:SHOWN])
    return len(differ)


def digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every file's name and the digest of its bytes; of a folder of Parquet files that of their sorted rows."""
    tables = {path.parent for path in folder.rglob("*.parquet")}
    for path in sorted(folder.rglob("*")):
        if path in tables:
            yield f"{path.relative_to(folder)}/*.parquet", _digest_of_rows(path)
        elif path.is_file() and LEFT_OUT not in path.parts and path.parent not in tables:
            yield str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()


def _digest_of_rows(folder: Path) -> str:
    import pyarrow.parquet as pq  # noqa: PLC0415  # only the trees' own programs need the laboratory otherwise

    tables = [pq.ParquetFile(path).read() for path in folder.glob("*.parquet")]
    rows = sorted(json.dumps(row, default=str, sort_keys=True) for table in tables for row in table.to_pylist())
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _matrix(results: Path) -> None:
    shutil.copytree(results, "results", ignore=_settled)
    _command("matrix.txt", "matrix", "--results", "results", "--out", "out")
    shutil.rmtree("results")


def _judge(results: Path) -> None:
    shutil.copytree(results, "results", ignore=_settled)
    _command("judge.txt", "judge", "--results", "results")
    _command("matrix.txt", "matrix", "--results", "results", "--out", "out")
    for file in Path("results").glob("run_id=*/verdicts/*.parquet"):
        kept = Path("verdicts", file.parts[1], file.stem)
        kept.mkdir(parents=True)
        file.rename(kept / file.name)
    shutil.rmtree("results")


def _settled(_: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name.startswith("settled") or name == "metrics.prom"]


def _plan(_: Path) -> None:
    from probe.model import Engine  # noqa: PLC0415  # the tree's

    for engine in Engine:
        wide = ("--client", "all", "--workload", "all", "--seed", SEED)
        _command(f"{engine}.json", "plan", "--engine", engine, *wide, "--json")
        _command(f"{engine}-default.json", "plan", "--engine", engine, "--seed", SEED, "--json")


def _documents(_: Path) -> None:
    for page in PAGES:
        Path(f"{page}.md").write_text(importlib.import_module(f"probe.catalogue.{page}").render())
    Path("schema").mkdir()
    _forked("schemas.txt", lambda: _module("probe.store.json_schemas", "schema"))


def _help(_: Path) -> None:
    from probe.cli.lazy_group import COMMANDS  # noqa: PLC0415  # the tree's

    _command("probe.txt", "--help")
    for name in COMMANDS:
        _command(f"{name}.txt", name, "--help")


def _lookup(_: Path) -> None:
    _command("clients.json", "clients", "--json")
    _command("scenarios.json", "scenarios", "--json")
    for family in json.loads(Path("clients.json").read_text().partition("\n")[2])["clients"]:
        for version in family["versions"]:
            client = f"{family['family']}@{version['version']}"
            _command(f"{client}.txt", "lookup", client)
            _command(f"{client}.json", "lookup", client, "--json")


PARTS: Mapping[str, Callable[[Path], None]] = {
    "matrix": _matrix,
    "judge": _judge,
    "plan": _plan,
    "documents": _documents,
    "help": _help,
    "lookup": _lookup,
}


def _command(file: str, *argv: str) -> None:
    """Write what a command prints, with its exit code before it, to a file."""
    from probe.cli.app import main as probe  # noqa: PLC0415  # the tree's

    def work() -> None:
        sys.argv = ["probe", *argv]
        probe()

    _forked(file, work)


def _forked(file: str, work: Callable[[], None]) -> None:
    """Do the work in a process of its own, in which all modules are loaded already."""
    child = os.fork()
    if child == 0:
        _in_child(file, work)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    Path(file).write_text(f"exit code {code}\n{TOOK.sub('', Path(file).read_text())}")


def _in_child(file: str, work: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        with Path(file).open("wb") as target:
            os.dup2(target.fileno(), 1)
            os.dup2(target.fileno(), 2)
        work()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _module(name: str, *argv: str) -> None:
    import runpy  # noqa: PLC0415

    sys.argv = [name, *argv]
    runpy.run_module(name, run_name="__main__")


def _fix_clock() -> None:
    """Let every `datetime.now` of this process return MOMENT. To be called before the tree's modules import the class.

    Pandas, which Spark loads, defines classes in C from the real one, and never ends its import with another.
    """
    with suppress(ImportError):
        importlib.import_module("pandas")
    real: Any = dt.datetime

    class Kind(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, real)

    class Fixed(real, metaclass=Kind):  # type: ignore[misc]
        __slots__ = ()  # C code looks at the size of its values

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> object:
            return real.fromisoformat(MOMENT).astimezone(tz)

    dt.datetime = Fixed  # type: ignore[misc]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        _fix_clock()
        PARTS[sys.argv[2]](Path(sys.argv[3]))
    else:
        raise SystemExit(main())
