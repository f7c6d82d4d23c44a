"""Commands that run cells or compare versions read comparable results, and measure anew what is older."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probe.cli.commands import verify
from probe.cli.wiring import execution, missing_cells
from probe.cli.wiring.execution import RunResult
from probe.errors import ProbeError
from probe.model import Cell, Engine, Role, conditions
from tests.support.known_results import PLAIN
from tests.support.older_conditions import (
    BAD,
    GOOD,
    OLDER,
    READER,
    in_turn,  # noqa: F401  # a fixture of every test
    run,
    store,
    table,  # noqa: F401  # another one
)
from tests.support.synthetic_rows import CELL


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Store the right results for cells that a command runs; return these cells."""
    asked: list[Cell] = []

    def play(cells: Iterable[Cell], _options: object, results: str, _trials: object = None) -> RunResult:
        mine = list(cells)
        asked.extend(mine)
        right = [(cell, BAD if cell == OLDER else GOOD) for cell in mine]
        return RunResult(store(Path(results), conditions.current(Engine.EMBEDDED), *right), {}, {})

    for module in (missing_cells, verify):
        monkeypatch.setattr(module, "run_cells", play)
    return asked


def test_verify_runs_cells_again_that_are_not_comparable_with_today(tmp_path: Path, played: list[Cell]) -> None:
    (tmp_path / "known.toml").write_text(PLAIN)
    results = tmp_path / "results"
    command = ["verify", "--results", str(results), "--known", str(tmp_path / "known.toml"), "--contrast"]
    store(results, 1, (OLDER, BAD), (CELL, BAD))  # the contrast would fail
    store(results, 2, (OLDER, BAD))
    done = run(*command)
    assert (done.exit_code, played) == (0, [CELL])
    assert "1 cell was measured under older conditions only: they are run again" in done.stderr


ADVISE = ("advise", "sarama", "1.43.2", "1.43.3", "--role", "producer", "--scenario", "disk/storage-error")


def test_advise_pairs_comparable_cells_only(tmp_path: Path, played: list[Cell]) -> None:
    store(tmp_path, 1, (OLDER, GOOD))
    store(tmp_path, 2, (CELL, BAD))
    done = run(*ADVISE, "--results", str(tmp_path))
    assert isinstance(done.exception, ProbeError)
    assert "no cell is stored for both 1.43.2 and 1.43.3; run probe run --client sarama@1.43.2" in str(done.exception)
    said = (
        "1 cell was measured under older conditions only: they are not compared (sarama@1.43.2 producer disk/storage-"
    )
    assert said in done.stderr
    assert "measured anew by: probe run --client sarama@1.43.2 " in done.stderr
    done = run(*ADVISE, "--results", str(tmp_path), "--run")
    assert (done.exit_code, played) == (0, [OLDER])
    assert "1 cell conforms on neither side" in done.stdout


def test_a_family_names_the_cells_of_neighbours_that_are_not_compared(tmp_path: Path) -> None:
    """An interrupted run of today's conditions lies beside older results."""
    both = replace(OLDER, scenario="broker/kill"), replace(CELL, scenario="broker/kill")
    store(tmp_path, 1, (OLDER, GOOD))
    store(tmp_path, 2, (CELL, BAD), *((cell, GOOD) for cell in both))
    done = run("advise", "sarama", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "1.43.2 -> 1.43.3  " in done.stdout
    assert "; 1 cell not comparable" in done.stdout
    assert (
        "they are not compared (sarama@1.43.2 producer disk/storage-error); measured anew by: probe run" in done.stderr
    )


def test_advise_compares_results_of_one_older_number(tmp_path: Path, played: list[Cell]) -> None:
    store(tmp_path, 1, *[(OLDER, BAD), (CELL, GOOD)] * 4)
    done = run(*ADVISE, "--results", str(tmp_path))
    assert done.exit_code == 0
    assert "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes" in done.stdout


def test_advise_runs_both_sides_again_if_both_are_old(tmp_path: Path, played: list[Cell]) -> None:
    old, new = replace(OLDER, role=Role.CONSUMER), READER
    store(tmp_path, 1, (old, GOOD))
    store(tmp_path, 2, (new, BAD))
    arguments = [*ADVISE[:5], "consumer", *ADVISE[6:], "--results", str(tmp_path), "--run"]
    assert (run(*arguments).exit_code, sorted(played)) == (0, [old, new])


def test_advise_names_comparable_upgrades_only(tmp_path: Path) -> None:
    later = replace(CELL, version="1.44.0")
    store(tmp_path, 2, (OLDER, BAD), (later, BAD))
    store(tmp_path, 1, (CELL, GOOD), (replace(OLDER, profile="idempotent"), GOOD))
    arguments = [word if word != "1.43.3" else "1.44.0" for word in ADVISE]
    text = run(*arguments, "--all", "--results", str(tmp_path)).stdout
    assert "no stored version up to 1.44.0 conforms" in text
    assert "conforms with profile" not in text


def test_bisect_reads_results_comparable_with_today_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("it must not be needed")

    monkeypatch.setattr(execution, "prepare_run", never)
    store(tmp_path, 1, (OLDER, BAD), (CELL, BAD))
    store(tmp_path, 2, *[(OLDER, BAD)] * 5, *[(CELL, GOOD)] * 5)
    arguments = ["bisect", "sarama", "disk/storage-error", "--results", str(tmp_path), "--listed-only"]
    done = run(*arguments, "--from", "1.43.2", "--to", "1.43.3")
    assert done.exit_code == 0, done.output
    assert "sarama 1.43.3 is the first version that refreshes" in done.stdout
    consumer = [*arguments, "--role", "consumer", "--from", "1.43.2", "--to", "1.43.3"]
    store(tmp_path, 2, *((replace(cell, role=Role.CONSUMER), BAD) for cell in (OLDER, CELL)))
    done = run(*consumer)
    assert isinstance(done.exception, AssertionError)
    assert "2 cells were measured under older conditions only: they are not compared" in done.stderr


def test_bisect_answers_from_older_conditions_where_nothing_may_be_run(tmp_path: Path) -> None:
    """Of two times, the one of which more versions are known; it says so."""
    later = replace(CELL, version="1.44.0")
    store(tmp_path, 2, *((replace(cell, role=Role.CONSUMER), BAD) for cell in (OLDER, CELL)))
    store(tmp_path, 2, (replace(later, role=Role.CONSUMER), GOOD))
    store(tmp_path, 3, (replace(later, role=Role.CONSUMER), BAD))
    arguments = ["bisect", "sarama", "disk/storage-error", "--role", "consumer", "--no-run", "--results", str(tmp_path)]
    done = run(*arguments)
    assert done.exit_code in {0, 1}, done.output
    assert "measured under older conditions only: they are compared with each other only" in done.stderr
