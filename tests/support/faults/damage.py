"""Files of a results folder that are cut, garbled, removed or swapped while a run uses the folder."""

from __future__ import annotations

import atexit
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.support.faults.round import Round

UNREAD = frozenset({0, 2, 3})
"""Exit codes of a command whose files were damaged: it did not need them, or one line names them."""


def damaged(round_: Round) -> None:
    """One or two files of two runs, of which the second still runs."""
    shutil.copytree(_earlier(tuple(round_.select)), round_.results, dirs_exist_ok=True)
    round_.damaged = True
    with round_.running(*round_.run()) as run:
        run.codes |= UNREAD
        if round_.rng.random() < 0.7:
            run.wait_for("cluster")
        run.sleep(round_.rng.uniform(0, round_.longest_s + 4))
        for _ in range(round_.rng.choice((1, 1, 2))):
            _damage(round_)
    for command in ("show", "lookup"):
        more = ("sarama", "--evidence", "own") if command == "lookup" else ()
        with round_.running(command, *more, "--results", str(round_.results)) as run:
            run.codes |= UNREAD


@cache
def _earlier(select: tuple[str, ...]) -> Path:
    """Play a run once per selection and process; return its results folder."""
    folder = Path(tempfile.mkdtemp(prefix="faults-earlier-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    round_ = Round(folder, random.Random(0), select)  # nothing is drawn
    with round_.running(*round_.run()):
        pass
    return round_.results


def _damage(round_: Round) -> None:
    files = sorted(path for path in round_.results.rglob("*") if path.is_file() and path.suffix != ".lock")
    path = round_.rng.choice(files)
    name = round_.rng.choice(sorted(WAYS))
    WAYS[name](round_, path)
    round_.note(f"{name} {path.relative_to(round_.results).as_posix().partition('/')[2] or path.name}")


def _cut(round_: Round, path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: round_.rng.randrange(len(data) + 1)])


def _garbled(round_: Round, path: Path) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(round_.rng.choice((1, 20, 2000))):
        if data:
            data[round_.rng.randrange(len(data))] = round_.rng.randrange(256)
    path.write_bytes(data)


def _removed(_: Round, path: Path) -> None:
    path.unlink()


def _swapped(round_: Round, path: Path) -> None:
    """Another run's file of the same kind takes its place, or any file where there is none."""
    others = [one for one in sorted(round_.results.rglob("*")) if one.is_file() and one != path]
    same = [one for one in others if one.name == path.name and one.parent.name == path.parent.name]
    if same or others:
        shutil.copyfile(round_.rng.choice(same or others), path)


WAYS: dict[str, Callable[[Round, Path], None]] = {
    "cut": _cut,
    "garbled": _garbled,
    "removed": _removed,
    "swapped": _swapped,
}
