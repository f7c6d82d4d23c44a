"""A history as lines of text, relative to the fault. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from probe.model import (
    App,
    Closed,
    EngineEvent,
    EngineKind,
    Event,
    Facts,
    Folded,
    History,
    Mark,
    Opened,
    Request,
    Response,
    Row,
)
from probe.protocol.names import api_name, error_name

MAX_REPEATS = 3
"""Number of equal lines in a row that are shown; the rest are counted."""


def lines(history: History) -> Iterator[str]:
    """Yield one line per event; long sequences of equal events are shortened."""
    zero = next((e.at for e in history.events if isinstance(e, EngineEvent) and e.kind is EngineKind.FAULT_ON), None)
    if zero is None and history.events:
        zero = history.events[0].at
    last, repeats = "", 0
    for event in history.events:
        text = describe(event)
        if text == last:
            repeats += 1
            if repeats >= MAX_REPEATS:
                continue
        else:
            if repeats >= MAX_REPEATS:
                yield f"{'':>12}  ... {repeats - MAX_REPEATS + 1} more like it"
            last, repeats = text, 0
        yield f"{(event.at - (zero or 0)) / 1000:>10.1f}ms  {text}"
    if repeats >= MAX_REPEATS:
        yield f"{'':>12}  ... {repeats - MAX_REPEATS + 1} more like it"


def phase_text(facts: Facts, chosen: float | None) -> str:
    """Return when the fault came in the client's own interval, and for which phase it waited; empty if unknown."""
    if facts.phase is None:
        return ""
    waited = "" if chosen is None else f"; it waited for {chosen:.2f}"
    return f"the fault came at phase {facts.phase:.2f} of the client's own interval ({facts.phase_clock}){waited}"


def describe(event: Event) -> str:
    """Return an event as text, without its time."""
    return _DESCRIBE[type(event)](event).rstrip()


def _app(event: App) -> str:
    error = f" {event.error.label()} {event.error.text}" if event.error else ""
    where = f" partition {event.partition}" if event.partition >= 0 else ""
    return f"app    {event.kind}{where}{error} {event.text}"


def _engine(event: EngineEvent) -> str:
    who = f" broker {event.broker}" if event.broker > 0 else ""
    return f"engine {event.kind}{who} {event.text}"


def _request(event: Request) -> str:
    names = "all topics" if event.everything else _rows(event.rows, answered=False)
    return f"wire   {event.broker} <- {api_name(event.api)} v{event.version} {names} {event.error}"


def _response(event: Response) -> str:
    code = f" {error_name(event.code)}" if event.code else ""
    rows = _rows(event.rows, answered=True)
    return f"wire   {event.broker} -> {api_name(event.api)} v{event.version}{code} {rows}"


_DESCRIBE: Mapping[type, Callable[..., str]] = {
    App: _app,
    EngineEvent: _engine,
    Mark: lambda event: f"probe  {event.kind} {event.text}",
    Request: _request,
    Response: _response,
    Opened: lambda event: f"wire   {event.broker} connection {event.conn} opened",
    Closed: lambda event: f"wire   {event.broker} connection {event.conn} closed by {event.by}",
    Folded: lambda event: f"wire   {event.broker} -- {api_name(event.api)} v{event.version}: {event.requests} folded",
}


def _rows(rows: tuple[Row, ...], *, answered: bool) -> str:
    return " ".join(_row(row, answered=answered) for row in rows)


def _row(row: Row, *, answered: bool) -> str:
    name = row.key or (row.topic.rsplit("-", 1)[-1] + (f"/{row.partition}" if row.partition >= 0 else ""))
    if not answered:
        return name
    leader = f"@{row.leader}" if row.leader is not None and row.leader >= 0 else ""
    again = f" (delivery {row.deliveries})" if row.deliveries and row.deliveries > 1 else ""
    return f"{name}{leader}:{error_name(row.code) if row.code else 'ok'}{again}"
