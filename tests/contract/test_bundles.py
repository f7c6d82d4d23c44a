"""Bundles, really run in folders of their own: they fail on the one version and pass on the other.

Only the tools of the language run there: `go`, or `pip` of an environment of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from probe.cli.wiring.bundles import bundle_of
from probe.toolchain.tools import find_tool

pytestmark = pytest.mark.real
TRIES = 3
"""Runs of a command: a machine on which nothing runs for seconds breaks the promise, too, or shows nothing (code 2)."""


def written(folder: Path, cell: str) -> tuple[str, str]:
    """Write a bundle; return the commands of the version that fails and of the one that passes."""
    for place, text in bundle_of(cell, None).files().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    fails, passes = re.findall(r"^(.+) {3}# (?:fails|passes)$", (folder / "README.md").read_text(), re.MULTILINE)
    return fails, passes


def run(folder: Path, line: str, tools: Path) -> tuple[int, str]:
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    env.pop("PYTHONPATH", None)
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stdout.strip() or done.stderr


def wanted(code: int, folder: Path, line: str, tools: Path, again: tuple[int, ...]) -> tuple[int, str]:
    """Run a command until it ends as wanted, `TRIES` times at most, and again only after the codes `again`."""
    found = run(folder, line, tools)
    for _ in range(TRIES - 1):
        if found[0] == code or found[0] not in again:
            break
        found = run(folder, line, tools)
    return found


def check(folder: Path, cell: str, tools: Path, failure: str) -> None:
    fails, passes = written(folder, cell)
    code, said = wanted(1, folder, fails, tools, again=(2,))
    assert (code, said.splitlines()[-1]) == (1, f"FAIL: {failure}"), said
    code, said = wanted(0, folder, passes, tools, again=(1, 2))
    assert (code, said.splitlines()[-1]) == (0, "PASS: it goes on after the fault"), said


def test_a_bundle_in_go(tmp_path: Path) -> None:
    tools = find_tool("go").resolve().parent
    check(tmp_path, "sarama-1.43.2-storage-error", tools, "nothing for 8s after the fault")


@pytest.mark.parametrize("cell", ["kafka-python-2.0.2-storage-error", "aiokafka-0.12.0-storage-error"])
def test_a_bundle_in_python(tmp_path: Path, cell: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "python")], check=True, capture_output=True)
    (tmp_path / "folder").mkdir()
    check(tmp_path / "folder", cell, tmp_path / "python" / "bin", "nothing for 8 s after the fault")
