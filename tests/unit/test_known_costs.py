"""Known costs: entries with a scale, and what stored sweeps show of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.catalogue.known_costs import CLAIMED, KnownCost, expected_costs, read_known_costs
from probe.cells.expectations import Status
from probe.cli.app import app
from probe.cli.commands import verify
from probe.cli.wiring import known_costs
from probe.errors import CatalogueError, GateError
from probe.model.cost import ClientCost, CostRun, PointCost
from probe.model.scale import Scale
from probe.store.costs import write_cost

ENTRY = """[[cost]]
id = "storm"
says = "each partition asks"
source = "a/b #1"
client = "sarama@1.45.0"
scenario = "disk/storage-error"
partitions = 10
clients = 2
costs = { metadata_per_pair = { min = 0.9 } }
[cost.contrast]
client = "sarama@1.61.1"
costs = { metadata_per_pair = { max = 0.5 } }
"""


def entry(folder: Path, old: str = "", new: str = "") -> Path:
    assert old in ENTRY
    path = folder / "known.toml"
    path.write_text(ENTRY.replace(old, new) if old else ENTRY)
    return path


def one(folder: Path) -> KnownCost:
    (found,) = read_known_costs(entry(folder))
    return found


def point(client: str, metadata: int, **more: object) -> PointCost:
    cost = ClientCost(
        client_id="c", outcome="refreshes", reason="", conforms=True, requests={"Metadata": metadata}, bytes=10,
        connections=1, peak_per_s=1, works_ms=100, working=10,
    )  # fmt: skip
    made = PointCost(
        client=client, role="producer", profile="isolated", scenario="disk/storage-error", broker="3.9",
        scale=Scale(partitions=10, clients=2), interval_ms=1000, clients=(cost,), memory_mb=1.0, cpu_s=0.1, processes=1,
        lag_ms=0,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]  # its fields


def store(folder: Path, *points: PointCost) -> str:
    write_cost(str(folder), CostRun(run_id="20261130T000000Z-0001", seed=1, points=points))
    return str(folder)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("max = 0.5", "max = 0.95", "must be the opposite"),
        ("{ min = 0.9 }", "{}", "give min or max"),
        ("{ min = 0.9 }", "{ min = 2, max = 1 }", "no min above max"),
        ("metadata_per_pair = { min", "money = { min", "money is no cost"),
        ("disk/storage-error", "net/refused", "costs are measured in"),
        ("sarama@1.61.1", "sarama", "is not FAMILY@VERSION"),
        ("partitions = 10", "partitions = 0", "greater than or equal to 1"),
    ],
)
def test_a_broken_entry_is_one_line(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(CatalogueError, match=reason):
        read_known_costs(entry(tmp_path, old, new))


def test_a_contrast_is_the_same_scale_with_one_change(tmp_path: Path) -> None:
    mine, other = expected_costs(one(tmp_path), contrast=True)
    assert (mine.name, mine.client, other.name, other.client) == (
        "storm",
        "sarama@1.45.0",
        "storm/contrast",
        "sarama@1.61.1",
    )
    assert replace(other, name=mine.name, client=mine.client, costs=mine.costs) == mine
    assert expected_costs(one(tmp_path), contrast=False) == [mine]


@pytest.mark.parametrize(
    "other", [{"engine": "kafka"}, {"problems": ("late",)}, {"differences": ("one",)}, {"scale": Scale()}]
)
def test_a_trial_of_something_else_shows_nothing(tmp_path: Path, other: Mapping[str, object]) -> None:
    (mine,) = expected_costs(one(tmp_path), contrast=False)
    assert mine.is_shown_by(point("sarama@1.45.0", 20))
    assert not mine.is_shown_by(point("sarama@1.45.0", 20, **other))


def test_stored_sweeps_are_compared_without_a_run(tmp_path: Path) -> None:
    results = store(tmp_path / "r", point("sarama@1.45.0", 21), point("sarama@1.61.1", 15))
    found = list(known_costs.check_costs(expected_costs(one(tmp_path), contrast=True), results, fresh=False))
    assert [status for status, _ in found] == [Status.HOLDS, Status.FAILS]
    assert "metadata_per_pair 1.05" in found[0][1]
    assert "expected metadata_per_pair at most 0.5, got 0.75" in found[1][1]
    asked = ["verify", "--known", str(entry(tmp_path)), "--results", results, "--contrast", "--only", "storm"]
    done = CliRunner().invoke(app, asked)
    assert isinstance(done.exception, CatalogueError), "a file of known results has cells, too"


def test_a_trial_in_which_the_harness_failed_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []

    def again(item: known_costs.ExpectedCost, results: str) -> list[PointCost]:
        played.append(1)
        return [point(item.client, 20, problems=("late",))]

    monkeypatch.setattr(known_costs, "_played", again)
    ((status, line),) = known_costs.check_costs(
        expected_costs(one(tmp_path), contrast=False), str(tmp_path), fresh=False
    )
    assert (status, played) == (Status.UNJUDGED, [1])
    assert "nothing failed" in line


def test_the_command_shows_costs_beside_cells(tmp_path: Path) -> None:
    (three, *_) = [item for item in read_known_costs(verify.KNOWN) if item.id == "sarama-3224-metadata-storm"]
    scale = Scale(partitions=three.partitions, clients=three.clients, late=three.late)
    results = store(tmp_path, point("sarama@1.45.0", 102, scale=scale), point("sarama@1.61.1", 5, scale=scale))
    asked = ["verify", "--results", results, "--contrast", "--only", three.id]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.exception
    assert "2 holds" in done.output
    results = store(tmp_path, point("sarama@1.45.0", 12, scale=scale), point("sarama@1.61.1", 5, scale=scale))
    done = CliRunner().invoke(app, asked)
    assert isinstance(done.exception, GateError)
    assert f"the first: {three.id}" in str(done.exception)


def test_shipped_entries_have_sources_and_links() -> None:
    found = read_known_costs(verify.KNOWN)
    assert found
    assert all("#" in item.source and item.link.startswith("https://") for item in found)
    assert set(CLAIMED) >= {name for item in found for name in item.costs}
