"""Short commands: no input, captured output, a deadline. Standard library only, for run.py."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_command(
    argv: Sequence[str],
    limit_s: float,
    late: Exception | None = None,
    *,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return its result, also of a failure.

    Raises `late` if it does not end within `limit_s` seconds (without one, subprocess.TimeoutExpired), and OSError if
    it cannot be started.
    """
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
            cwd=cwd,
            env=env,
        )
    except subprocess.TimeoutExpired:
        if late is None:
            raise
        raise late from None
