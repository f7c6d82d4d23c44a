"""A diagnosis as one HTML page, with the timelines that cells have. All that an input says is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from probe.diagnose.advice import Advice
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Finding, Status
from probe.diagnose.names import BrokerNames
from probe.diagnose.report import advised, details, head, not_read, whose
from probe.model.safe_text import visible
from probe.protocol.names import error_name
from probe.site.pages.environment import environment
from probe.site.timeline.event_table import EventRow, event_table
from probe.site.timeline.observed_moments import observed_moments
from probe.site.timeline.picture import broker_lanes, picture_svg, shows_more

STYLE = Path(__file__).resolve().parents[1] / "static" / "site.css"
TONES = {
    Status.REFUSED: "bad",
    Status.MISMATCH: "bad",
    Status.STUCK: "bad",
    Status.STORMS: "bad",
    Status.WAS_STUCK: "bad",
    Status.UNKNOWN: "mute",
    Status.RECOVERED: "good",
    Status.HEALTHY: "good",
}
"""Class of the style sheet per status; the word beside it says the same."""


@dataclass(frozen=True, slots=True)
class FindingView:
    """The trouble with one object, as the page shows it."""

    title: str
    texts: tuple[str, ...]
    zoomed: str = ""
    """Picture of the first seconds; empty without kept events."""
    whole: str = ""
    lines: tuple[EventRow, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class ClientView:
    """One client, as the page shows it."""

    status: Status
    tone: str
    title: str
    findings: tuple[FindingView, ...]
    advice: tuple[str, ...]


def page(diagnosis: Diagnosis, advices: Sequence[tuple[ClientFinding, Advice]]) -> str:
    """Return the page, which needs no other file."""
    names = BrokerNames(diagnosis.brokers)
    known = {one.key: advice for one, advice in advices}
    return (
        environment()
        .get_template("diagnosis.html")
        .render(
            style=Markup(STYLE.read_text(encoding="utf-8")),  # noqa: S704  # our own file
            head=head(diagnosis),
            clients=[_client(number, one, names, known.get(one.key)) for number, one in enumerate(diagnosis.clients)],
            brokers=list(_brokers(diagnosis, names)),
            left=[visible(not_read(one)) for one in diagnosis.left],
        )
    )


def _client(number: int, one: ClientFinding, names: BrokerNames, advice: Advice | None) -> ClientView:
    findings = tuple(_finding(f"c{number}-{place}", item, names) for place, item in enumerate(one.findings))
    texts = () if advice is None else tuple(map(visible, advised(advice)))
    return ClientView(one.status, TONES[one.status], visible(whose(one)), findings, texts)


def _finding(name: str, one: Finding, names: BrokerNames) -> FindingView:
    title, texts = visible(str(one.item)), tuple(map(visible, details(one, names)))
    if one.history is None:
        return FindingView(title, texts)
    found = observed_moments(one.history)
    failing = f"broker {one.history.header.subject.old}"
    lanes = [replace(lane, title=visible(_title(lane.name, names))) for lane in broker_lanes(found, failing)]
    about = f"Requests and answers about {title}; the event table below lists the same."
    named = [item._replace(lane=visible(_title(item.lane, names))) for item in found]
    lines, omitted = event_table(named)

    def drawn(part: str, *, whole: bool) -> str:
        return picture_svg(lanes, found, name=f"{name}-{part}", title=f"{title}: {one.status}", desc=about, whole=whole)

    return FindingView(
        title,
        texts,
        zoomed=drawn("near", whole=False),
        whole=drawn("far", whole=True) if shows_more(found) else "",
        lines=tuple(lines),
        omitted=omitted,
    )


def _title(lane: str, names: BrokerNames) -> str:
    word, _, number = lane.partition(" ")
    return names.lane(int(number)) if word == "broker" else lane


def _brokers(diagnosis: Diagnosis, names: BrokerNames) -> Iterator[tuple[str, tuple[tuple[str, str, int, str], ...]]]:
    """Yield every broker with its errors: error, object, count, who serves it."""
    for one in diagnosis.brokers:
        rows = tuple(
            (
                error_name(item.code),
                visible(str(item.item)),
                item.count,
                "" if item.leads is None else visible(names.node(item.leads)),
            )
            for item in one.refused
        )
        yield visible(names.at(one.number)), rows
