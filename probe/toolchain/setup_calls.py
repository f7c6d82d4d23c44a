"""Calls of programs by the set-up, and its messages. Standard library only, for run.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEP_S = 1800


class SetupError(Exception):
    """A step of the set-up failed; the text is one line with the fix."""


def say(text: str) -> None:
    """Print a line about the progress."""
    print(f"setup: {text}", file=sys.stderr, flush=True)  # noqa: T201  # no library is installed yet


def call(argv: list[str], fix: str, *, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a command and return its output; SetupError with the last line of the output and the fix."""
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=STEP_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{argv[0]}: {error}; {fix}") from None
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise SetupError(f"{Path(argv[0]).name} failed: {lines[-1].strip() if lines else 'no reason given'}; {fix}")
    return done.stdout + done.stderr
