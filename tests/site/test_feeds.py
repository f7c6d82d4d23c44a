"""Machine-readable files of the site: metrics of the last run, the feed of changed cells."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.reports import METRICS, Reports
from probe.model import Cell, Outcome
from probe.reports.metrics import metrics
from probe.reports.run_report import Report
from probe.site.data.run_history import read_run_history
from probe.site.pages.feeds import MAX_ITEMS, feed
from tests.support.site_data import BEFORE, CHANGED, RUN, write_past
from tests.support.synthetic_rows import CELL, fill, verdict

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "feed.json").read_text())
LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[0-9.e+]+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"')
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parse(text: str) -> Samples:
    """Read the text format strictly: HELP, TYPE and samples of a metric are contiguous and unique."""
    assert text.endswith("\n")
    found: Samples = {}
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            names.append(line.split()[2])
            assert names.count(names[-1]) == 1
        elif line.startswith("# TYPE "):
            assert line.split()[2:] == [names[-1], "gauge"]
        else:
            match = LINE.fullmatch(line)
            assert match, line
            assert match[1] == names[-1]
            key = (match[1], frozenset(LABEL.findall(match[2] or "")))
            assert key not in found
            found[key] = float(match[3])
    return found


def one(outcome: Outcome, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(verdict(outcome),))


def test_metrics_count_the_last_run() -> None:
    odd = replace(CELL, version='1"\\\n2')
    cells = [one(Outcome.STUCK), one(Outcome.BROKEN, replace(CELL, scenario="net/reset")), one(Outcome.LATE, odd)]
    names = {item.cell: item for item in cells}
    started = "2026-11-21T08:43:15Z"
    before = {CELL: one(Outcome.REFRESHES)}
    found = parse(metrics(Report(run_id="r1", results="r", cells=names, before=before, started=started, seconds=12.5)))

    def value(name: str, **labels: str) -> float:
        return found[name, frozenset(labels.items())]

    assert value("probe_cells", outcome="stuck") == 1
    assert value("probe_cells", outcome="refreshes") == 0
    assert value("probe_run_timestamp_seconds") == 1795250595
    assert value("probe_run_duration_seconds") == 12.5
    assert value("probe_run_broken_ratio") == pytest.approx(1 / 3)
    assert value("probe_client_nonconforming_cells", family="sarama", version="1.43.3") == 1
    assert value("probe_client_nonconforming_cells", family="sarama", version='1\\"\\\\\\n2') == 1
    assert value("probe_client_cells", family="sarama", version="1.43.3", result="error") == 1
    assert value("probe_changed_cells", trend="undecided") == 1  # one trial a side
    assert value("probe_changed_cells", trend="worse") == 0
    assert value("probe_run_info", run_id="r1") == 1


def test_metrics_of_an_empty_run_are_complete() -> None:
    assert parse(metrics(Report(run_id="r1", results="r", cells={})))["probe_run_broken_ratio", frozenset()] == 0


def test_the_results_folder_has_metrics_of_the_last_run(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.REFRESHES))
    run_id = fill(tmp_path, (CELL, 0, Outcome.STUCK))
    Reports().make(str(tmp_path), run_id)
    found = parse((tmp_path / METRICS).read_text())
    assert found["probe_run_info", frozenset({("run_id", run_id)})] == 1
    assert found["probe_trials", frozenset()] == 1
    assert [path.name for path in tmp_path.glob(".*")] in ([], [".locks"]), "a temporary file is left"


def test_the_feed_lists_changes_by_run(tmp_path: Path) -> None:
    write_past(tmp_path)
    data = json.loads(feed(read_run_history(tmp_path)))
    jsonschema.validate(data, SCHEMA)
    (item,) = data["items"]
    assert item["title"] == f"{CHANGED}: refreshes → stuck (worse)"
    assert item["date_published"] == "2026-11-21T08:43:15Z"
    assert item["_probe"]["run_id"] == RUN
    assert (item["_probe"]["before"]["outcome"], item["_probe"]["before"]["run_id"]) == ("refreshes", BEFORE)
    assert item["_probe"]["page"].startswith("cell/sarama-1.43.2-producer")
    assert "url" not in item


def test_feed_addresses_are_absolute_when_the_site_has_one(tmp_path: Path) -> None:
    write_past(tmp_path)
    data = json.loads(feed(read_run_history(tmp_path), "https://probe.example.org/kafka/"))
    jsonschema.validate(data, SCHEMA)
    assert data["home_page_url"] == "https://probe.example.org/kafka/"
    assert data["feed_url"] == "https://probe.example.org/kafka/feed.json"
    assert data["items"][0]["url"].startswith("https://probe.example.org/kafka/cell/sarama-1.43.2")


def test_the_feed_is_limited_to_the_newest_items(tmp_path: Path) -> None:
    days = [(nth // 336, nth // 28 % 12 + 1, nth % 28 + 1) for nth in range(MAX_ITEMS + 20)]
    runs = [f"2026{month:02}{day:02}T{hour:02}0000Z-0000" for hour, month, day in days]
    rows = []
    for run, outcome in zip(sorted(runs), cycle(("stuck", "late")), strict=False):
        said = {"outcome": outcome, "conforms": "no", "runs": 1, "trials": 1, "agreeing": 1, "worst": outcome}
        rows.append(CHANGED.columns() | said | {"first_run": run, "last_run": run})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "history.parquet")
    items = json.loads(feed(read_run_history(tmp_path)))["items"]
    assert [item["_probe"]["run_id"] for item in items] == sorted(runs, reverse=True)[:MAX_ITEMS]
    assert items[0]["date_published"] == "2026-12-28T00:00:00Z"
    assert len({item["id"] for item in items}) == MAX_ITEMS


def test_the_worst_trial_decides_whether_a_cell_changed(tmp_path: Path) -> None:
    runs = [f"202601{day:02}T000000Z-0000" for day in range(1, 5)]
    said = [
        ("refreshes", "yes", "refreshes"),
        ("flaky", "no", "storms"),
        ("storms", "no", "storms"),
        ("late", "no", "late"),
    ]
    rows = [
        CHANGED.columns()
        | {"outcome": outcome, "conforms": conforms, "worst": worst, "runs": 1, "trials": 1, "agreeing": 1}
        | {"first_run": run, "last_run": run}
        for run, (outcome, conforms, worst) in zip(runs, said, strict=True)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "history.parquet")
    data = json.loads(feed(read_run_history(tmp_path)))
    jsonschema.validate(data, SCHEMA)
    assert [(item["_probe"]["run_id"], item["_probe"]["trend"]) for item in data["items"]] == [
        (runs[3], "better"),
        (runs[1], "worse"),
    ]
    assert data["items"][1]["title"].endswith(": refreshes → flaky with storms as its worst trial (worse)")


def test_a_feed_without_earlier_runs_is_empty_and_valid(tmp_path: Path) -> None:
    data = json.loads(feed(read_run_history(tmp_path)))
    jsonschema.validate(data, SCHEMA)
    assert data["items"] == []
