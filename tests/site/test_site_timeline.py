"""Pictures and event tables of trials, which agree."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from probe.model import (
    Cell,
    Engine,
    EngineEvent,
    EngineKind,
    Folded,
    History,
    Mark,
    MarkKind,
    Outcome,
    Request,
    Role,
    Row,
    Symptom,
)
from probe.site import timeline_svg
from probe.site.timeline.event_table import event_table
from probe.site.timeline.history_moments import moments
from probe.site.timeline.moments import MomentKind
from probe.site.timeline.picture import MARKS
from tests.support import site_trials
from tests.support.site_trials import NASTY

CELL = Cell("sarama", "1.27.0", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")


def played(outcome: Outcome = Outcome.STUCK, cell: Cell = CELL) -> History:
    return site_trials.play(cell, 0, outcome)


def drawn(history: History, *, whole: bool = True) -> ET.Element:
    verdict = site_trials.judge(history.header.cell, Outcome.STUCK, 0)
    return ET.fromstring(timeline_svg(history, verdict, whole=whole))


def marks(svg: ET.Element, sort: MomentKind) -> list[ET.Element]:
    return [one for one in svg.iter("g") if one.get("class") == f"mark {sort}"]


def test_a_picture_is_valid_and_described() -> None:
    svg = drawn(played(), whole=False)
    assert svg.get("role") == "img"
    assert NASTY in (svg.findtext("desc") or "")
    names = {text.text for text in svg.iter("text") if text.get("class") == "lane-name"}
    assert {"broker 1", "broker 2", "application", "bystander"} <= names
    labels = {text.text for text in svg.iter("text")}
    assert {"fault injected", "moved to broker 2", "all name broker 2"} <= labels
    assert "moved to broker 2 · all name broker 2" in {text.text for text in drawn(played()).iter("text")}


def test_a_stuck_client_shows_errors_and_no_discovery() -> None:
    svg = drawn(played(Outcome.STUCK))
    assert marks(svg, MomentKind.ERROR)
    assert marks(svg, MomentKind.FUTILE)
    assert marks(svg, MomentKind.GAP)
    assert not marks(svg, MomentKind.ASK)
    assert "KAFKA_STORAGE_ERROR" in ET.tostring(svg, encoding="unicode")


def test_a_refresh_shows_stale_and_useful_answers() -> None:
    found = [one for one in moments(played(Outcome.REFRESHES)) if one.sort in {MomentKind.ASK, MomentKind.ASK_STALE}]
    assert [(one.sort, one.lane) for one in found] == [(MomentKind.ASK_STALE, "broker 3"), (MomentKind.ASK, "broker 2")]
    assert "because of the error" in found[0].text
    assert "names broker 1" in found[0].text
    assert not [one for one in moments(played(Outcome.REFRESHES)) if one.sort is MomentKind.FUTILE]


def test_time_zero_is_the_fault() -> None:
    stages = {one.text: one.at for one in moments(played()) if one.sort is MomentKind.STAGE}
    assert stages["fault injected"] == 0
    assert stages["warm"] == -1_000_000
    assert stages["fault reverted"] == 10_000_000


def test_a_long_high_watermark_lag_is_shown_once() -> None:
    history = played()
    fault = next(event.at for event in history.events if getattr(event, "kind", "") is EngineKind.FAULT_ON)
    added = [
        EngineEvent(at=fault + ms * 1000, kind=EngineKind.WITHHELD, broker=2, partition=0, value=500)
        for ms in (1500, 2000, 2510, 6000, 6500)
    ]
    events = tuple(sorted((*history.events, *added), key=lambda event: event.at))
    found = [one.at for one in moments(replace(history, events=events)) if one.text == "broker 2 withholds records"]
    assert found == [1_500_000, 6_000_000]


def test_a_dense_trial_has_a_few_hundred_marks() -> None:
    history = played(Outcome.STORMS)
    noise = [
        Request(at=site_trials.us(0) + 3000 * n, conn=9, broker=n % 3 + 1, corr=n, api=n % 2, version=4,
                rows=(Row(topic="t", partition=0),))
        for n in range(20_000)
    ]  # fmt: skip
    events = tuple(sorted([*history.events, *noise], key=lambda event: event.at))
    for whole in (True, False):
        svg = drawn(replace(history, events=events), whole=whole)
        assert 20 < sum(1 for one in svg.iter("g") if (one.get("class") or "").startswith("mark ")) <= MARKS


def test_folded_spans_and_unanswered_requests_are_drawn() -> None:
    history = played(Outcome.CLEAN)
    rows = (Row(topic="t", partition=0, code=56),)
    extra = (
        Folded(at=site_trials.us(500), until=site_trials.us(1500), conn=9, broker=1, api=0, version=7, requests=85,
               responses=85, rows=rows),
        Request(at=site_trials.us(2000), conn=1, broker=1, corr=999_999, api=0, version=7, rows=rows),
    )  # fmt: skip
    events = tuple(sorted([*history.events, *extra], key=lambda event: event.at))
    found = moments(replace(history, events=events))
    assert [one.count for one in found if one.sort is MomentKind.ERROR] == [85]
    assert [one.at for one in found if one.sort is MomentKind.SILENT] == [2_000_000]
    assert "\N{MULTIPLICATION SIGN}85" in ET.tostring(drawn(replace(history, events=events)), encoding="unicode")


def test_histories_without_events_or_fault_are_drawn() -> None:
    header = played().header
    assert drawn(History(header, ())).tag == "svg"
    assert drawn(History(header, (Mark(at=5, kind=MarkKind.WARM),)), whole=False).tag == "svg"


def test_the_event_table_matches_the_picture() -> None:
    lines, omitted = event_table(moments(played(Outcome.STUCK)))
    assert omitted == 0
    whats = {line.what for line in lines}
    assert "Produce: KAFKA_STORAGE_ERROR" in whats
    assert "send failed: KAFKA_STORAGE_ERROR" in whats
    assert "moved to broker 2" in whats
    assert sum(line.count for line in lines if line.sort is MomentKind.ERROR) > 80
    assert len(lines) < 40


def test_a_control_trial_mentions_no_fault() -> None:
    history = played(Outcome.CLEAN)
    control = replace(history, header=replace(history.header, play=replace(history.header.play, kind=Symptom.NONE)))
    text = ET.tostring(drawn(control), encoding="unicode")
    assert "observation begins" in text
    assert "fault injected" not in text
    assert ">fails<" not in text
    assert ">fails<" in ET.tostring(drawn(history), encoding="unicode")
