"""A wall clock that jumps for a round's processes, by a preloaded library.

The monotonic clock stays as it is. Go reads the clock without the C library, so drivers and fake clusters in Go do not
see the jump: here the command alone does.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.faults.round import Round

JUMPS_S = (-86_400, -3_600, -60, -2, 2, 60, 3_600, 86_400, 40_000_000)
"""Jumps of the wall clock, in seconds."""
SOURCE = Path(__file__).with_name("wall_clock.c")


def jumps(round_: Round) -> None:
    """One or two jumps of the wall clock while a run goes on."""
    file = round_.folder / "clock"
    file.write_text("0")
    before = dict(round_.environment)
    round_.environment |= {
        "LD_PRELOAD": str(library(round_.folder)),
        "WALL_CLOCK_OFFSET": str(file),
    }
    with round_.running(*round_.run()) as run:
        for _ in range(round_.rng.choice((1, 2))):
            if round_.rng.random() < 0.7:
                run.wait_for("cluster")
            run.sleep(round_.rng.uniform(0, round_.longest_s))
            seconds = round_.rng.choice(JUMPS_S)
            file.write_text(str(seconds))
            if not run.ended:
                round_.note(f"a jump by {seconds:+d} s")
    round_.environment = before


def library(folder: Path) -> Path:
    """Compile `wall_clock.c` into a folder. CalledProcessError if that fails."""
    out = folder / "wall_clock.so"
    compiler = shutil.which("gcc") or shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(out), str(SOURCE)], check=True, capture_output=True)
    return out
