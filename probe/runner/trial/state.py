"""State of a trial, and the selection of the judged instance's events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from probe import verdict
from probe.model import (
    App,
    AppKind,
    Closed,
    EngineEvent,
    Event,
    Folded,
    Header,
    History,
    Mark,
    Opened,
    Profile,
    Request,
    Response,
    Subject,
    Target,
)
from probe.model.clock import now_us
from probe.model.group_settings import effective
from probe.model.profile import AUTOCOMMIT
from probe.planning.plan import Planned
from probe.protocol.apis import METADATA
from probe.protocol.rows import UNKNOWN_ID
from probe.recorder import Recorder
from probe.runner.judge_executor import submit_to_thread
from probe.runner.trial.client_limits import own_limit_ms, timeout_ms

Wire = Opened | Closed | Request | Response | Folded


def new_recorder(header: Header) -> Recorder:
    """Return an empty recorder for a trial."""
    commits = Profile.parse(header.cell.profile).name == AUTOCOMMIT
    return Recorder(by_wire=bool(header.judged_by), commits_by_wire=commits)


def nothing_more() -> None:
    """Report nothing: there is no tap yet."""


@dataclass
class TrialState:
    """State that changes while a trial runs."""

    item: Planned
    header: Header
    recorder: Recorder
    fault_at: int = 0
    read_on: Callable[[], None] = nothing_more
    """Has the trial's tap report all that has passed until now."""
    crowded: bool = False
    """Whether another instance of the harness used the same brokers; then only the judged one's connections count."""

    def on_event(self, event: Event) -> None:
        """Record an event of the wire or of the brokers."""
        self.recorder.add(without_others(event, self.header.subject.topic))

    def history(self) -> History:
        """Return all events to judge, so far."""
        self.read_on()
        found = self.recorder.history(self.header)
        return events_of(found, self.header.subject.client_id) if self.crowded else found

    def problem(self, text: str) -> None:
        """Record a failure of the harness."""
        self.header = replace(self.header, problems=(*self.header.problems, text))

    def learn(self) -> None:
        """Add the client's effective settings, and the limits that follow from them, once it has reported them."""
        settings = effective(self.header.cell, self.recorder.settings)
        if not settings or self.header.settings == settings:
            return
        play, part = self.header.play, self.item.variant
        limits = replace(self.header.limits, own_limit_ms=own_limit_ms(play, settings))
        if part.prompt_beyond_own_ms is not None:
            own_ms = timeout_ms(settings) + self.item.name_cache_ms
            play = replace(play, prompt_ms=own_ms + part.prompt_beyond_own_ms)
        self.header = replace(self.header, settings=settings, limits=limits, play=play)

    @property
    def successes(self) -> int:
        """Return the number of operations that succeeded at the affected object."""
        if self.header.play.target is Target.CONTROLLER:
            return self.recorder.created[AppKind.LISTED]
        return self.recorder.successes[self.header.subject.affected]

    async def was_hit(self) -> bool:
        """Return whether the fault has reached the client."""
        return (await submit_to_thread(verdict.judge, self.history())).facts.fault_hits > 0

    def start_over(self, subject: Subject) -> None:
        """Discard the events of an ended instance; another one is judged."""
        self.read_on()
        self.recorder = new_recorder(self.header)
        self.header = replace(self.header, subject=subject, settings={})

    def go_on_with(self, subject: Subject) -> None:
        """Judge another instance from now on, under the same fault, with the same length of observation."""
        self.read_on()
        kept = [event for event in self.recorder.history(self.header).events if isinstance(event, EngineEvent | Mark)]
        self.start_over(subject)
        for event in kept:
            self.recorder.add(event)
        gone_ms = (now_us() - self.fault_at) // 1000
        play = replace(self.header.play, watch_ms=self.header.play.watch_ms + gone_ms)
        self.header = replace(self.header, play=play)
        self.crowded = True


def without_others(event: Event, topic: str) -> Event:
    """Return an event without the rows of an answer to Metadata about other topics, which are counted.

    So the size of a history does not depend on that of the cluster.
    """
    if not isinstance(event, Response | Folded) or event.api != METADATA:
        return event
    kept = tuple(row for row in event.rows if row.topic == topic or not row.topic or row.topic.startswith(UNKNOWN_ID))
    if len(kept) == len(event.rows):
        return event
    if isinstance(event, Folded):
        return replace(event, rows=kept)
    others = sum(row.partition >= 0 for row in event.rows) - sum(row.partition >= 0 for row in kept)
    return replace(event, rows=kept, others=others)


def events_of(history: History, client_id: str) -> History:
    """Return the history without connections of other client ids, or of none."""
    ours = {event.conn for event in history.events if isinstance(event, Request) and event.client_id == client_id}
    instance = history.header.subject.instance
    kept = [
        event
        for event in history.events
        if (isinstance(event, App) and event.instance == instance)
        or (isinstance(event, Wire) and event.conn in ours)
        or (isinstance(event, EngineEvent) and (event.conn < 0 or event.conn in ours))
        or isinstance(event, Mark)
    ]
    return History(history.header, tuple(kept))
