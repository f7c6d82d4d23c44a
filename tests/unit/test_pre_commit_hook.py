"""The hook for pre-commit: pre-commit itself takes the file, and it runs for the manifests that an audit reads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.fetched_tools import listed_packages
from tests.unit.test_audit_against import audit, evidence, git, repository, service

__all__ = ["evidence", "repository"]  # fixtures

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
PINS = ROOT / "tests" / "data" / "pre_commit.txt"


def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load(HOOKS.read_text())
    return dict(found)


def test_pre_commit_takes_the_file() -> None:
    folder = listed_packages("pre-commit", PINS)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS)],
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("go.mod", True),
        ("services/orders/go.mod", True),
        ("requirements.txt", True),
        ("requirements-dev.in", True),
        ("poetry.lock", True),
        ("pylock.toml", True),
        ("web/bun.lock", True),
        ("pyproject.toml", False),
        ("web/package-lock.json", True),
        ("build.gradle.kts", True),
        ("api/pom.xml", True),
        ("deploy/orders.yaml", True),
        ("main.go", False),
        ("README.md", False),
        ("cargo.mod", False),
    ],
)
def test_it_runs_for_manifests(name: str, runs: bool) -> None:
    assert bool(re.search(hook()["files"], name)) is runs


def test_it_fails_by_what_a_commit_adds(repository: Path, evidence: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program and arguments of the hook, in a repository as pre-commit calls it."""
    monkeypatch.chdir(repository)
    program, *first = hook()["entry"].split()
    assert program == "probe"
    words = [*first[1:], *hook()["args"]]
    assert audit(evidence, *words).returncode != 1
    service(repository, "payments")
    git(repository, "add", ".")
    assert audit(evidence, *words).returncode == 1
