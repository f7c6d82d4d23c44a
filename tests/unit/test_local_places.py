"""Places of this machine: trials do not name them, whatever clients say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.driver_contract import driver_pb2 as pb
from probe.drivers.clock import Clock
from probe.drivers.conversion import to_app
from probe.toolchain import local_places
from probe.toolchain.local_places import CHECKOUT, without_places


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
