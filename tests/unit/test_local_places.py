"""Places of this machine: neither trials nor published evidence name them, whatever clients say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.driver_contract import driver_pb2 as pb
from probe.drivers.clock import Clock
from probe.drivers.conversion import to_app
from probe.evidence.text_files import write_folder
from probe.model import Outcome
from probe.toolchain import local_places
from probe.toolchain.local_places import CHECKOUT, without_places
from tests.support.synthetic_rows import CELL
from tests.unit.test_control_cells import settled
from tests.unit.test_evidence_file import contents


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "ann" / "cache"))
    local_places._places.cache_clear()
    yield tmp_path / "ann"
    local_places._places.cache_clear()


def test_places_are_named_by_what_they_are(home: Path) -> None:
    said = f"at {home}/cache/npm/a.js:3, {home}/work/b.js, {CHECKOUT}/clients/x.py, /usr/lib/node.js, no place"
    assert (
        without_places(said)
        == "at $PROBE_CACHE/npm/a.js:3, ~/work/b.js, $PROBE/clients/x.py, /usr/lib/node.js, no place"
    )


def test_a_user_whose_folder_is_the_root_keeps_all_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert without_places("/usr/lib/node.js") == "/usr/lib/node.js"


def test_events_of_drivers_name_no_place(home: Path) -> None:
    event = pb.Event(kind=pb.FATAL, instance="i", text=f"at {home}/cache/npm/a.js")
    event.error.text = f"in {home}/b.js"
    found = to_app(event, Clock())
    assert found.text == "at $PROBE_CACHE/npm/a.js"
    assert found.error is not None
    assert found.error.text == "in ~/b.js"


def test_published_evidence_names_no_place(home: Path, tmp_path: Path) -> None:
    write_folder(tmp_path / "evidence", contents([settled(CELL, Outcome.FATAL, f"ended at {home}/cache/npm/a.js")]))
    (text,) = (path.read_text() for path in (tmp_path / "evidence").rglob("sarama.tsv"))
    assert "ended at $PROBE_CACHE/npm/a.js" in text
    assert str(home) not in text
