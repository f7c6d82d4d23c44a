"""Threads of a library that still run after an instance of a Python driver has closed are reported."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe.driver_contract import driver_pb2 as pb
from tests.support.deadlines import LONGEST_S

PYTHON = Path(__file__).resolve().parents[2] / "clients" / "python"


class Heard:
    """An outbox that keeps its events."""

    def __init__(self) -> None:
        self.events: list[pb.Event] = []

    def add(self, event: pb.Event) -> None:
        self.events.append(event)

    def ended(self, instance: str, kind: int = pb.CLOSED) -> str:
        """Wait for the event with which an instance ends; return its text."""
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end:
            for event in list(self.events):
                if event.instance == instance and event.kind == kind:
                    return event.text
            time.sleep(0.01)
        raise AssertionError(f"{instance} did not end: {self.events}")


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def instances(monkeypatch: pytest.MonkeyPatch, heard: Heard) -> Iterator[Any]:
    """Instances of a library with a thread named after the client id; role `leaves` never ends it."""
    monkeypatch.syspath_prepend(str(PYTHON))
    from driver_runtime.instances import Instances  # noqa: PLC0415  # found by the line above
    from driver_runtime.library import Library  # noqa: PLC0415  # as above

    over = threading.Event()

    def works(start: pb.Start, _: Any, stop: Any) -> None:
        until = over if start.role == "leaves" else stop._asked
        threading.Thread(target=until.wait, name=f"{start.client_id}-network", daemon=True).start()
        stop.wait_until_asked()

    def fails(start: pb.Start, _: Any, stop: Any) -> None:
        threading.Thread(target=stop.wait_until_asked, name=f"{start.client_id}-ticker", daemon=True).start()
        raise RuntimeError

    roles = {"closes": works, "leaves": works, "fails": fails}
    library = Library(family="x", version="1", roles=roles, profiles=["p"], error_of=lambda _: pb.Error())
    yield Instances(library, heard)  # type: ignore[arg-type]  # stands in for the outbox
    over.set()
    for name in [item for item in sys.modules if item.startswith("driver_runtime")]:
        del sys.modules[name]


def start(name: str, role: str = "closes") -> pb.Start:
    return pb.Start(instance=name, client_id=name, role=role, profile="p")


def test_the_workload_of_a_client_that_failed_ends_with_it(instances: Any, heard: Heard) -> None:
    """Else it ticks on in the process, beside all later instances."""
    instances.start(start("failed", "fails"))
    assert heard.ended("failed", pb.FATAL) == ""
    end = time.monotonic() + LONGEST_S
    while any(thread.name == "failed-ticker" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_bystander_with_the_same_prefix_is_not_a_left_thread(instances: Any, heard: Heard) -> None:
    """A bystander's thread must not retire the driver process."""
    instances.start(start("java-group-1"))
    instances.start(start("java-group-1-b"))
    instances.stop(pb.Stop(instance="java-group-1", deadline_ms=2000))
    assert heard.ended("java-group-1") == ""
    instances.stop(pb.Stop(instance="java-group-1-b", deadline_ms=2000))
    assert heard.ended("java-group-1-b") == ""


def test_threads_of_the_library_are_reported(instances: Any, heard: Heard) -> None:
    instances.start(start("java-group-1", "leaves"))
    instances.start(start("java-group-1-b", "leaves"))
    instances.stop(pb.Stop(instance="java-group-1", deadline_ms=2000))
    assert heard.ended("java-group-1") == "still running: java-group-1-network"
    instances.stop(pb.Stop(instance="java-group-1-b", deadline_ms=2000))
    assert heard.ended("java-group-1-b") == "still running: java-group-1-b-network"
