"""`run.py setup`: silent in a complete environment, and complete in any other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *--check*) exit {check} ;; esac
mkdir -p {venv}
"""
TOOLS = {
    "java": "echo 'openjdk version \"21.0.1\"'",
    "go": "echo go version go1.99",
    "node": "echo v24.0.0",
    "npm": ":",
}


def set_up(folder: Path, check: int) -> tuple[str, list[str]]:
    """Run `run.py setup` in a separate folder with stub tools."""
    tools, log = folder / "bin", folder / "log"
    tools.mkdir(exist_ok=True)
    log.unlink(missing_ok=True)
    scripts = {name: f"#!/bin/sh\n{body}\n" for name, body in TOOLS.items()}
    for name, text in {**scripts, "uv": UV.format(log=log, check=check, venv=folder / ".venv")}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    shutil.copy(ROOT / "run.py", folder)
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin", "PROBE_CACHE": str(folder / "cache")}
    env.pop("JAVA_HOME", None)
    command = [sys.executable, str(folder / "run.py"), "setup"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)
    assert done.returncode == 0, done.stderr
    return done.stderr, log.read_text().splitlines()


def test_a_new_environment_is_announced_and_created(tmp_path: Path) -> None:
    output, calls = set_up(tmp_path, check=0)
    assert "Python packages" in output
    assert ["--check" in call for call in calls] == [False]


@pytest.mark.parametrize(
    ("check", "announced"),
    [(0, False), pytest.param(1, True, id="uv.lock changed"), pytest.param(2, True, id="a uv without --check")],
)
def test_only_an_incomplete_environment_is_synced(tmp_path: Path, check: int, announced: bool) -> None:
    (tmp_path / ".venv").mkdir()
    output, calls = set_up(tmp_path, check)
    assert ("Python packages" in output) is announced
    assert (output == "") is not announced
    assert ["--check" in call for call in calls] == [True] + [False] * announced
