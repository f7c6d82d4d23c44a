"""Missing shards are reported when results are published."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.store import RunStore
from probe.store.shards import missing_shards
from tests.support.synthetic_rows import create, fill


def begin(folder: Path, run_id: str, *shards: str) -> None:
    for shard in shards:
        with RunStore.create(str(folder), command=[], seed=1, shard=shard, run_id=run_id):
            pass


def test_a_run_without_shards_misses_none(tmp_path: Path) -> None:
    assert missing_shards(str(tmp_path)) == ""
    fill(tmp_path)
    with create(tmp_path):
        pass
    assert missing_shards(str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (("1of3", "2of3", "3of3"), ""),
        (("1of3", "2of3"), "shard 3/3 is not stored, unlike the other shards of run b: its cells are missing"),
        (("2of4", "4of4"), "shards 1/4, 3/4 are not stored, unlike the other shards of run b: their cells"),
    ],
)
def test_missing_shards_of_one_run_are_named(tmp_path: Path, there: tuple[str, ...], expected: str) -> None:
    begin(tmp_path, "a", "3of3")  # belongs to an earlier run and does not count
    begin(tmp_path, "b", *there)
    line = missing_shards(str(tmp_path))
    assert expected in line
    assert bool(line) is bool(expected)
    assert not expected or "`probe run --resume b --shard " in line


def test_missing_shards_are_named_across_separate_runs(tmp_path: Path) -> None:
    for run_id, shard in (("a", "1of3"), ("b", "2of3"), ("c", "1of3")):
        begin(tmp_path, run_id, shard)
    line = missing_shards(str(tmp_path))
    assert "shard 3/3 is not stored" in line
    assert "`--shard 3/3`, same selectors, brings them" in line
    begin(tmp_path, "d", "3of3")
    assert missing_shards(str(tmp_path)) == ""
