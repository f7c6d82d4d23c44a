"""Calls of programs by the set-up, and its messages. Standard library only, for run.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
STEP_S = 1800
OFFLINE = "UV_OFFLINE"
Result = TypeVar("Result")
MISMATCH = re.compile(r"hash mismatch|do not match the hashes|EINTEGRITY", re.IGNORECASE)
"""Words of uv, pip and npm about a file with another digest than the pinned one."""
NAMED = re.compile(r"[Mm]ismatch for `([^`]+)`|^\s*(\S+==\S+) from ", re.MULTILINE)
SERVED = re.compile(r"(?:Computed:|Got|but got)\s+(?:sha256:)?([\w+/=-]+)")


class SetupError(Exception):
    """A step of the set-up failed; the text is one line with the fix."""


class MissingError(SetupError):
    """A thing is not on this machine, and nothing may be fetched; the text is one line."""


class Steps:
    """Steps of a set-up. Where nothing may be fetched, all of them are tried, and what each lacks is gathered."""

    def __init__(self) -> None:
        self._missing: list[str] = []

    def run(self, step: Callable[..., Result], *arguments: object) -> Result | None:
        """Return the result of a step; None if what it needs is missing."""
        try:
            return step(*arguments)
        except MissingError as error:
            self._missing.append(str(error))
            return None

    def check(self) -> None:
        """Raise SetupError with a line for each missing thing."""
        if self._missing:
            count = len(self._missing)
            raise SetupError("\n  ".join([f"{count} missing, and --offline fetches nothing:", *self._missing]))


def is_offline() -> bool:
    """Return whether nothing may be fetched: uv's own variable, which `--offline` sets."""
    return os.environ.get(OFFLINE, "").lower() in {"1", "true", "yes", "on"}


def take(what: str, source: str) -> None:
    """Announce what is taken from where, since a thing is missing. MissingError if nothing may be fetched."""
    if is_offline():
        raise MissingError(f"{what}: needs {source}")
    say(f"{what}: taking {source}")


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
        raise SetupError(f"{Path(argv[0]).name} failed: {_reason(done.stderr + done.stdout, fix)}")
    return done.stdout + done.stderr


def _reason(said: str, fix: str) -> str:
    """Return the last line of an output with the fix; of a file that is not the pinned one, its digest."""
    if MISMATCH.search(said):
        name, served = NAMED.search(said), SERVED.search(said)
        thing = next(filter(None, name.groups()), "") if name else "a file"
        digest = served[1] if served else "another file"
        return f"{thing}: the registry served {digest}, which is not pinned; do not use it before you know why"
    lines = [line for line in said.splitlines() if line.strip()]
    return f"{lines[-1].strip() if lines else 'no reason given'}; {fix}"
