"""Bundles of known results, each run in an empty folder by its own two commands: one fails, the other passes.

`python benchmarks/bundles.py [CELL...]` writes each bundle (`probe bundle`) into a temporary folder, runs both
commands of its README as a maintainer would, with nothing of this project in reach, twice each (`--runs`), and prints
the rows of docs/bundle.md. Exit code 1 if one does not fail on the bad version, or not pass on the good one.
`--tools DIR` puts folders with older interpreters on the path.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.bundle.folder import Bundle
from probe.cli.wiring.bundles import bundle_of, bundled

ENDS = re.compile(r"^(.+) {3}# (?:fails|passes)$", re.MULTILINE)
LIMIT_S = 300
"""Longest run of a command, with the download of the library."""
OURS = ("PYTHONPATH", "VIRTUAL_ENV", "GOFLAGS", "NODE_PATH", "CLASSPATH")
"""Variables that a maintainer's shell has not got from here."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command that has ended."""

    code: int
    said: str
    """Its last line."""
    seconds: float


def main() -> int:
    """Run the bundles and print a row for each. Return 1 if one does not tell its versions apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", help="known results, or 'CELL -> VERSION'; default: all known results")
    parser.add_argument("--runs", type=int, default=2, help="runs of each command")
    parser.add_argument("--tools", action="append", default=[], metavar="DIR", help="folder that the path begins with")
    args = parser.parse_args()
    wrong = 0
    for name, made in asked(args.cells):
        with tempfile.TemporaryDirectory(prefix="bundle-") as folder:
            fails, passes = played(Path(folder), made, args.runs, environment(args.tools))
        is_right = {one.code for one in fails} == {1} and {one.code for one in passes} == {0}
        wrong += not is_right
        sys.stdout.write(f"{row(name, made, fails, passes)}{'' if is_right else trouble(fails, passes)}\n")
        sys.stdout.flush()
    return 1 if wrong else 0


def asked(cells: Sequence[str]) -> Iterator[tuple[str, Bundle]]:
    """Yield the named bundles, or those of all known results that have one."""
    if not cells:
        yield from ((known.id, made) for known, made, _ in bundled() if made is not None)
    for cell in cells:
        name, _, against = cell.partition(" -> ")
        yield name, bundle_of(name, against or None)


def environment(tools: Sequence[str]) -> dict[str, str]:
    """Return the environment of a maintainer's shell, whose path begins with `tools`."""
    rest = {name: value for name, value in os.environ.items() if name not in OURS}
    return {**rest, "PATH": os.pathsep.join([*tools, os.environ["PATH"]])}


def played(folder: Path, made: Bundle, runs: int, env: Mapping[str, str]) -> tuple[list[Run], list[Run]]:
    """Write a bundle and run the commands of its README in turn; return the runs of both."""
    for place, text in made.files().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    commands = ENDS.findall((folder / "README.md").read_text(encoding="utf-8"))
    found = [[run(folder, command, env) for command in commands] for _ in range(runs)]
    return [one[0] for one in found], [one[1] for one in found]


def run(folder: Path, command: str, env: Mapping[str, str]) -> Run:
    """Run a command in the folder's shell."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        return Run(-1, f"not over after {LIMIT_S} s", LIMIT_S)
    lines = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()
    return Run(done.returncode, lines[-1], time.monotonic() - began)


def row(name: str, made: Bundle, fails: Sequence[Run], passes: Sequence[Run]) -> str:
    """Return the row of docs/bundle.md; seconds are those of the last run, which downloads nothing."""
    said = fails[-1].said.partition("FAIL: ")[2] or fails[-1].said
    seconds = f"{fails[-1].seconds:.0f}, {passes[-1].seconds:.0f}"
    return f"| {name} | {made.bad.version} | {made.good.version} | {made.lines()} | {said[:110]} | {seconds} |"


def trouble(fails: Sequence[Run], passes: Sequence[Run]) -> str:
    """Return what the runs of a bundle said that does not tell its versions apart."""
    return "".join(f"\n    {which}: {code} {said}" for which, code, said in told(fails, passes))


def told(fails: Sequence[Run], passes: Sequence[Run]) -> Iterator[tuple[str, int, str]]:
    """Yield each run as its version, its exit code and what it said."""
    for which, runs in (("bad", fails), ("good", passes)):
        yield from ((which, one.code, one.said) for one in runs)


if __name__ == "__main__":
    sys.exit(main())
