"""Short commands end, or end with the caller's error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_failure_is_returned_with_what_it_said(tmp_path: Path) -> None:
    done = run_command(
        [sys.executable, "-c", "import os, sys; print(os.getcwd()); sys.exit(sys.stdin.read() or 3)"], 30, cwd=tmp_path
    )

    assert (done.returncode, done.stdout.strip()) == (3, str(tmp_path))


def test_a_command_that_does_not_end_raises_the_error_of_its_caller() -> None:
    with pytest.raises(ToolError, match="try again"):
        run_command(SLEEP, 0.2, ToolError("sleep took longer than 0.2 s; try again"))
    with pytest.raises(subprocess.TimeoutExpired):
        run_command(SLEEP, 0.2)
