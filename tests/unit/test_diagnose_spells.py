"""Spells of a trouble: what ends one, and what is said of a client that was stuck until something else ended it."""

from __future__ import annotations

from typing import Any

import pytest

from probe.diagnose.findings import Status
from probe.diagnose.observation import Source
from probe.model import Row
from probe.protocol import apis
from tests.support.wire_script import GROUP, NEW, OLD, OTHER, Talk, WireScript

STORAGE_ERROR, NOT_LEADER = 56, 6


def started(**more: Any) -> tuple[WireScript, Talk]:
    script = WireScript(**more)
    talk = script.client()
    talk.asks()
    talk.works(10)
    return script, talk


def incident(seconds: int = 30, **more: Any) -> tuple[WireScript, Talk]:
    """A client writes on to the old leader for some time, while another client learns the new one."""
    script, talk = started(**more)
    talk.fails(STORAGE_ERROR)
    script.leader = 2
    script.client("other", "10.0.0.8").asks()
    talk.fails(STORAGE_ERROR, times=seconds * 10)
    return script, talk


def said(script: WireScript) -> tuple[Status, str]:
    found = next(one for one in script.diagnose().clients if one.key.client_id == "orders-writer")
    return found.status, found.reason


@pytest.mark.parametrize("work", [0.2, 1.5, 4.0], ids=["often", "seldom", "once between two cuts"])
def test_cuts_that_are_far_apart_are_not_added_up(work: float) -> None:
    """Sessions that a broker ends every 5 s: the client is served after each, and lost nothing."""
    script, talk = started()
    for _ in range(10):
        talk.is_cut()
        script.wait(300)
        talk.works(max(1, int(4.7 / work)), every_ms=work * 1000)
    talk.works(3)
    script.ends_after(2_000)
    found = script.only()
    assert found.status is Status.RECOVERED
    (one,) = found.findings
    assert one.times == 10
    assert one.recovered is not None
    assert one.recovered - one.since < 9_500_000


def test_signs_without_a_quiet_second_between_them_are_one_spell() -> None:
    script, talk = started()
    for _ in range(30):
        talk.fails(STORAGE_ERROR, times=3)
        talk.works(1, every_ms=100)
    talk.fails(STORAGE_ERROR, times=100)
    found = script.only()
    assert found.status is Status.STUCK
    assert "no success in 2" in found.reason


def test_a_client_was_stuck_until_its_connection_was_cut() -> None:
    script, talk = incident()
    talk.is_cut()
    talk.asks()
    talk.works(30, broker=NEW)
    assert said(script) == (Status.WAS_STUCK, "no success in 30 s, and no question of its own ended that")


def test_a_client_was_stuck_although_the_input_ends_soon_after() -> None:
    script, talk = incident()
    talk.is_cut()
    talk.asks()
    talk.works(1, broker=NEW)
    assert said(script)[0] is Status.WAS_STUCK


def test_a_client_was_stuck_until_it_was_restarted() -> None:
    script, talk = incident()
    for broker in list(talk.open_at):
        talk.is_cut(broker, by="client")
    script.ends_after(5_000)
    assert said(script) == (Status.WAS_STUCK, "no success in 30 s, until it ended its connections")


def test_a_client_was_stuck_until_the_fault_ended() -> None:
    script, talk = started()
    talk.fails(STORAGE_ERROR, times=300)
    talk.works(30)
    assert said(script)[0] is Status.WAS_STUCK


def test_a_client_was_stuck_until_its_own_time_out_ended_the_connection() -> None:
    script, talk = started()
    talk.waits_for()
    script.wait(60_000)
    talk.is_cut(by="client")
    script.leader = 2
    talk.asks()
    talk.works(30, broker=NEW)
    assert said(script)[0] is Status.WAS_STUCK


@pytest.mark.parametrize("seconds", [1, 30], ids=["at once", "late"])
def test_a_client_that_asked_by_itself_has_recovered(seconds: int) -> None:
    script, talk = incident(seconds)
    talk.asks()
    talk.works(30, broker=NEW)
    assert said(script)[0] is Status.RECOVERED


def test_a_client_that_did_what_answers_said_has_recovered() -> None:
    """As long as answers name the broker that refuses it, nobody could have served it."""
    script, talk = started()
    for _ in range(6):
        talk.fails(NOT_LEADER, times=30)
        talk.asks(leader=1)
    talk.is_cut()
    script.leader = 2
    talk.asks()
    talk.works(30, broker=NEW)
    assert said(script)[0] is Status.RECOVERED


def test_a_client_without_need_for_a_while_was_not_stuck() -> None:
    script, talk = started()
    script.wait(20_000)
    talk.works(1)
    talk.is_cut()
    script.wait(60_000)
    talk.works(30)
    assert said(script)[0] is Status.RECOVERED


@pytest.mark.parametrize(("pause", "status"), [(0, Status.RECOVERED), (800, Status.WAS_STUCK)])
def test_a_request_log_shows_no_cut_but_that_tries_ended_before_the_question(pause: int, status: Status) -> None:
    script, talk = incident(source=Source.LOG)
    script.wait(pause)
    talk.asks()
    talk.works(30, broker=NEW)
    assert said(script)[0] is status


def test_who_is_stuck_again_is_stuck() -> None:
    script, talk = incident()
    talk.is_cut()
    talk.works(20, broker=NEW)
    talk.fails(STORAGE_ERROR, times=200, broker=NEW)
    assert said(script)[0] is Status.STUCK


@pytest.mark.parametrize(("code", "api", "row"), [(27, apis.OFFSET_COMMIT, Row(key=GROUP)), (9, apis.PRODUCE, None)])
def test_a_code_that_is_no_step_of_this_api_is_no_success(code: int, api: int, row: Row | None) -> None:
    script = WireScript()
    talk = script.client(api=api) if row is None else script.client(api=api, row=row)
    talk.works(10)
    talk.fails(STORAGE_ERROR if row is None else 16)
    talk.fails(code, times=120, broker=OLD)
    assert said(script)[0] is not Status.RECOVERED


def test_a_code_that_kafka_does_not_know_is_no_success() -> None:
    script, talk = started()
    talk.fails(STORAGE_ERROR)
    talk.fails(999, times=120)
    assert said(script)[0] is Status.STUCK
    talk.asks(broker=OTHER)
