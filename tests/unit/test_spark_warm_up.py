"""Spark that starts in the background: it is warmed up as soon as a trial is stored, and holds nobody up."""

from __future__ import annotations

import threading

import pytest

from probe.cli.wiring import publication
from probe.cli.wiring.publication import Publisher

WAIT_S = 60.0


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace Spark's session, which takes seconds to start."""
    monkeypatch.setattr(publication, "start_session", lambda *_, **__: object())
    monkeypatch.setattr(publication, "is_large", lambda _: False)
    monkeypatch.setattr(publication, "give_way", lambda _: None)
    monkeypatch.setattr(publication, "stop_session", lambda _: None)
    monkeypatch.setattr(publication, "AGAIN_S", 0.01)


@pytest.mark.usefixtures("session")
def test_spark_waits_for_a_stored_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, done = iter((False, False, True)), threading.Event()

    def warm_up(*_: object) -> bool:
        is_stored = next(looks)
        if is_stored:
            done.set()
        return is_stored

    monkeypatch.setattr(publication, "warm_up", warm_up)
    with Publisher("results"):
        assert done.wait(WAIT_S)
    assert next(looks, None) is None


@pytest.mark.usefixtures("session")
def test_a_run_without_a_stored_trial_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = threading.Event()

    def warm_up(*_: object) -> bool:
        looked.set()
        return False

    monkeypatch.setattr(publication, "warm_up", warm_up)
    with Publisher("results") as publisher:
        assert looked.wait(WAIT_S)
    assert not publisher._thread.is_alive()
