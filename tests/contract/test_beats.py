"""Promises of the driver of Beats' Kafka output (proto/driver.proto), and the verdict on the real one."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Outcome
from tests.support.application_orders import order, sent_and_stored, stored_in
from tests.support.driver_host import ENDINGS, driving
from tests.support.fake_brokers import brokers
from tests.support.real_cells import planned, play
from tests.support.shared_runs import result_of, run_once

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
NEWEST = read_families(CLIENTS)["beats"].newest.version
"""The newest listed release alone: each takes a minute to build, once per cache."""
DEADLINE_MS = 5000
ODD: dict[str, dict[str, Any]] = {
    "sorcerer": {"role": "sorcerer"},
    "wishful": {"profile": "wishful"},
    "invented.setting": {"properties": {"invented.setting": "1"}},
    "brotli": {"properties": {"compression": "brotli"}},
}
pytestmark = [pytest.mark.real, pytest.mark.xdist_group("beats"), pytest.mark.timeout(1200)]


def _events() -> dict[str, list[pb.Event]]:
    return result_of(_play())


@functools.cache
def _play() -> dict[str, list[pb.Event]] | Exception:
    return run_once(_run())


async def _run() -> dict[str, list[pb.Event]]:
    family = read_families(CLIENTS)["beats"]
    launch = await asyncio.to_thread(provision, family, family.newest)
    found = {}
    async with brokers() as cluster:
        await cluster.topic("written")
        for name, odd in {"writer": {}, **ODD}.items():  # a process each, as in runs
            async with driving(launch) as driver:
                driver.start(**order(name, cluster.bootstrap, **odd))
                if odd:
                    await driver.until(lambda one=driver, of=name: one.of(of, *ENDINGS))
                else:
                    await driver.until(lambda one=driver: len(one.of("writer", pb.SENT)) >= 40)
                    await driver.stop("writer", DEADLINE_MS)
                found[name] = driver.of(name)
        for sent, stored in sent_and_stored("writer", found["writer"], await stored_in(cluster)):
            assert stored[: len(sent) - 3] == sent[: len(sent) - 3]
    return found


@pytest.mark.parametrize("name", ODD)
def test_what_beats_do_not_have_is_unsupported(name: str) -> None:
    (ending,) = [event for event in _events()[name] if event.kind in ENDINGS]
    assert ending.kind == pb.UNSUPPORTED
    assert name in ending.text


def test_an_event_is_sent_in_each_interval_and_none_is_reported_as_delivered() -> None:
    kinds = [event.kind for event in _events()["writer"]]
    assert kinds[0] == pb.READY
    assert kinds[-1] == pb.CLOSED
    assert not {pb.ACKED, pb.SEND_ERROR} & set(kinds)
    (last,) = [event.text for event in _events()["writer"] if event.text.startswith("events acknowledged")]
    assert last.endswith("sent again: 0")
    settings = dict(_events()["writer"][0].settings)
    assert (settings["acks"], settings["refresh_ms"], settings["protocol"]) == ("1", "-1", "1.0")


def test_a_batch_that_is_given_back_is_sent_again_to_the_broker_that_refused_it() -> None:
    _events()  # or skip
    for _, verdict in play([planned(f"beats@{NEWEST}", "disk/storage-error")]):
        assert verdict.outcome is Outcome.STUCK
        assert (verdict.facts.futile_requests_per_s or 0) > 50
