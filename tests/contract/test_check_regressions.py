"""`probe check` of copies of a library's source: regressions are named by their cell, and harmless changes are none.

The cells are certain: whether a client repeats a refused record, and whether it waits before, is no matter of chance.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from probe.cli.wiring.catalogue import families
from probe.drivers.provision import provision
from tests.support.command import command

pytestmark = pytest.mark.real
FAMILY = "kafka-python"
REFUSED, ELECTED = "hold/produce/NOT_ENOUGH_REPLICAS", "leader/election-slow"
"""A producer repeats the error of the first by the error's class, and asks in the second at its back-off."""
CHECK_S = 1800
"""Three dozen trials of at most a minute, on a machine that may be busy."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a copy of the newest listed release, as a checkout has it."""
    family = families()[FAMILY]
    launch = provision(family, family.newest)
    library = Path(launch.argv[launch.argv.index("--library") + 1])
    shutil.copytree(library / "kafka", tmp_path / "checkout" / "kafka", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "checkout"


def change(source: Path, file: str, old: str, new: str) -> None:
    path = source / "kafka" / file
    text = path.read_text()
    assert old in text, f"{file} has no {old!r} any more"
    path.write_text(text.replace(old, new))


def checked(source: Path) -> tuple[int, dict[str, Any], list[str]]:
    """Return the exit code, the cells by name, and what was printed on standard error."""
    scope = ["--scenario", REFUSED, "--scenario", ELECTED, "--role", "producer", "--profile", "isolated"]
    line = ["check", f"{FAMILY}@path:{source}", *scope, "--results", str(source.parent / "results"), "--json"]
    done = command(*line)
    assert done.stdout, done.stderr
    whole = json.loads(done.stdout)
    return done.returncode, {one["name"]: one for one in whole["cells"]}, done.stderr.splitlines()


@pytest.mark.timeout(CHECK_S)
def test_a_dropped_error_code_and_a_back_off_of_zero_are_worse(source: Path) -> None:
    change(source, "errors.py", "NotEnoughReplicasError(RetriableError, ", "NotEnoughReplicasError(")
    for file in ("producer/kafka.py", "cluster.py"):
        change(source, file, "'retry_backoff_ms': 100", "'retry_backoff_ms': 0")

    code, cells, said = checked(source)

    answers = {name: one["answer"] for name, one in cells.items()}
    assert answers == {"producer steady": "same", f"producer {REFUSED}": "worse", f"producer {ELECTED}": "worse"}
    assert cells[f"producer {REFUSED}"]["harm"] == "stops"
    assert "storms" in cells[f"producer {ELECTED}"]["after"]["outcomes"]
    assert code == 1
    assert "2 cells worse than in" in said[-1]


@pytest.mark.timeout(CHECK_S)
def test_a_rename_and_a_log_line_are_no_difference(source: Path) -> None:
    for old in ("retry_backoff = self", "batch.last_attempt + retry_backoff)", "= retry_backoff if"):
        change(source, "producer/record_accumulator.py", old, old.replace("retry_backoff", "pause_s"))
    change(source, "errors.py", "class InvalidMetadataError", "SAID = 'nothing'\n\n\nclass InvalidMetadataError")

    code, cells, _ = checked(source)

    assert code == 0
    assert {one["answer"] for one in cells.values()} <= {"same", "undecided"}
