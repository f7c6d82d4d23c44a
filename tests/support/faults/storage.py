"""Full and read-only file systems below the results, the cache and the temporary folder of a run."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.support.faults.private_cache import private_cache
from tests.support.faults.round import Round, Running

ROOM = {"results": 8, "cache": 160, "temporary": 8}
"""Size of the file system of each place, in MiB."""
INODES = 4000
FILLER = "filler"
OPEN_S = 20
"""Longest time for which a run has a file open."""
EXHAUSTED = frozenset({0, 2, 3})
"""Exit codes of a run that finds no room: enough was left; the start was refused; or it ended with what is stored."""


def full_disk(round_: Round) -> None:
    """A place without a free block, from the start or from a moment on; room comes back in some rounds."""
    _without(round_, "full disk", _fill)


def full_inodes(round_: Round) -> None:
    """A place without a free inode."""
    _without(round_, "no inode", _fill_inodes)


def read_only(round_: Round) -> None:
    """A place that becomes read-only while it is used."""
    _without(round_, "read-only", _forbid_writing)


def small(round_: Round, folder: Path, mebibytes: int) -> None:
    """Mount a file system in memory on a folder until the end of the round. Raises CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount(folder, f"size={mebibytes}m,nr_inodes={INODES}", "none", "-t", "tmpfs")
    round_.mounts.append(folder)
    round_.ending.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=False)


def _without(round_: Round, name: str, fill: Callable[[Path], object]) -> None:
    place = round_.rng.choice(sorted(ROOM))
    folder = round_.folder / place
    small(round_, folder, ROOM[place])
    if name == "read-only":
        _mount(folder, "bind", str(folder))
        round_.ending.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=False)
    if place == "cache":
        private_cache(round_, cold=round_.rng.random() < 0.5)
    early = round_.rng.random() < 0.25
    if early:
        fill(folder)
    with round_.running(*round_.run()) as run:
        run.codes |= EXHAUSTED
        seconds = 0.0 if early else _moment(round_, run)
        if not early:
            fill(folder)
        round_.note(f"{name} under {place} {'from the start' if early else f'after {seconds:.1f} s'}")
        if round_.rng.random() < 0.3:
            run.sleep(round_.rng.uniform(1, 8))
            _free(folder)
            round_.note("mended while it ran")
    _free(folder)


def _moment(round_: Round, run: Running) -> float:
    """Wait for a moment of the set-up or of the trials; return the seconds."""
    if round_.rng.random() < 0.7:
        run.wait_for("cluster")
    seconds = round_.rng.uniform(0, round_.longest_s)
    run.sleep(seconds)
    return seconds


def _fill(folder: Path) -> None:
    with suppress(OSError), (folder / FILLER).open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def _fill_inodes(folder: Path) -> None:
    with suppress(OSError):
        (folder / FILLER).mkdir()
        for number in range(INODES):
            os.close(os.open(folder / FILLER / str(number), os.O_CREAT))


def _forbid_writing(folder: Path) -> None:
    """Make a place read-only, which the system refuses while a file below it is open for writing."""
    until = time.monotonic() + OPEN_S
    while True:
        with suppress(subprocess.CalledProcessError):
            return _mount(folder, "remount,bind,ro", str(folder))
        if time.monotonic() > until:
            raise TimeoutError(f"a file of {folder} stays open for writing")
        time.sleep(0.01)


def _free(folder: Path) -> None:
    """Take back whichever of the three was done."""
    with suppress(subprocess.CalledProcessError):
        _mount(folder, "remount,bind,rw", str(folder))
    filler = folder / FILLER
    if filler.is_dir():
        for path in filler.iterdir():
            path.unlink()
        filler.rmdir()
    filler.unlink(missing_ok=True)


def _mount(folder: Path, options: str, source: str, *more: str) -> None:
    subprocess.run(["mount", "-o", options, *more, source, str(folder)], check=True, capture_output=True)
