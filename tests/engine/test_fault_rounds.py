"""A sample of `benchmarks/faults.py`: a fault of some kinds during a run of one cell, all at once."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.faults.checks import findings
from tests.support.faults.examination import observed
from tests.support.faults.kinds import KINDS
from tests.support.faults.round import Round

pytestmark = pytest.mark.real
SELECT = (
    *("--client", "sarama@1.43.3", "--scenario", "steady", "--role", "producer"),
    *("--repeat-budget", "0", "--watch", "2"),
)
CALM = {"sarama@1.43.3 producer isolated steady embedded 3.9": frozenset({"clean"})}
SAMPLE = {"stop": 1, "inodes": 1, "shared": 1}
"""Kinds with a seed each. The others have samples of their own: `kill`, `term` and `int` in `test_interruptions.py`,
`twice`, `read-only` and `clock` in `test_surroundings.py`, `disk` and `files` in `test_used_up.py`, `processes` in
`test_children.py` and `test_resources.py`, `memory` in `test_laboratory.py`, `damage` in `test_store_safety.py`,
`driver` in `test_odd_drivers.py` and `test_driver_failures.py`, `registry` in `test_source_wheel.py`."""


def played(kind: str, seed: int, folder: Path) -> tuple[list[str], list[str]]:
    round_ = Round(folder, random.Random(seed), SELECT)
    with round_.ending:
        KINDS[kind](round_)
        return round_.notes, findings(observed(round_), CALM)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems in memory")
def test_nothing_is_left_lost_or_wrong_after_faults(tmp_path: Path) -> None:
    with ThreadPoolExecutor(len(SAMPLE)) as pool:
        rounds = {kind: pool.submit(played, kind, seed, tmp_path / kind) for kind, seed in SAMPLE.items()}
        ended = {kind: one.result() for kind, one in rounds.items()}
    assert {kind: ended[kind] for kind in ended if ended[kind][1]} == {}
