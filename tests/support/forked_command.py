"""Commands in processes of their own that share a start: the modules that each loads, and how it ends.

As a program this loads what every command needs, `probe.cli` and what typer needs for a parameter, then forks for each
command that it is asked for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import typer

from probe.cli.app import main

DEADLINE_S = 120


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command."""

    returncode: int
    """Negative: the signal that ended it."""
    stderr: str
    modules: frozenset[str]
    """Those that were loaded at its end."""


class Forks:
    """Runs one command after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, *arguments: str, without: Sequence[str] = ()) -> Ended:
        """Run `probe` with these arguments, as if the modules `without` were not installed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"arguments": arguments, "without": without, "environment": {**os.environ}}
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        code, stderr, modules = json.loads(self._process.stdout.readline())
        return Ended(code, stderr, frozenset(modules))


@contextmanager
def forks() -> Iterator[Forks]:
    """Start the program below, and end it."""
    root, argv = Path(__file__).parents[2], [sys.executable, "-m", "tests.support.forked_command"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        yield Forks(process)
        assert process.stdin is not None
        process.stdin.close()


def _serve() -> None:
    _load_what_parameters_need()
    for line in sys.stdin:
        with TemporaryDirectory() as made:
            folder = Path(made)
            child = os.fork()
            if not child:
                _end(folder, json.loads(line))
            _, status = os.waitpid(child, 0)
            found = folder / "modules"
            modules = json.loads(found.read_text()) if found.exists() else []
            said = (folder / "stderr").read_text()
        print(json.dumps([os.waitstatus_to_exitcode(status), said, modules]), flush=True)  # noqa: T201  # the answer


def _load_what_parameters_need() -> None:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    def nothing(*, yes: bool = False) -> None:
        """Take a parameter."""

    app([], standalone_mode=False)


def _end(folder: Path, asked: dict[str, Any]) -> NoReturn:
    """Run a command in this process, write what was loaded, and end as the command does."""
    signal.alarm(DEADLINE_S)
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123  # until the process ends
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123  # the same
    sys.stderr = (folder / "stderr").open("w", buffering=1)
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.modules.update(dict.fromkeys(asked["without"]))  # type: ignore[arg-type]  # None: cannot be imported
    sys.argv = ["probe", *asked["arguments"]]
    code = 1
    try:
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        (folder / "modules").write_text(json.dumps(sorted(sys.modules)))
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
