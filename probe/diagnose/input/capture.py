"""Events of captures: packets to segments, segments to streams, streams to requests and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from probe.diagnose.input.event_order import Ordered
from probe.diagnose.input.files import InputFile
from probe.diagnose.input.packets import read_packets
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.segments import IN_FRAGMENTS, SHORT, UNKNOWN_LINK, segment
from probe.diagnose.input.spans import Span
from probe.diagnose.input.streams import Streams
from probe.diagnose.input.time_merge import merged
from probe.diagnose.observation import Wire
from probe.model.handshake import Handshake

TICK_US = 250_000
"""Time of the capture between two looks at what is due."""
WINDOW_US = 1_500_000
"""Time that events wait, since those of storms come later than others by a second and a tick."""
SWEEP_US = 60_000_000
BACKWARDS = "earlier than those before them, so that their order is lost; name joined captures one by one"
REASONS = {
    UNKNOWN_LINK: "of an unknown link type; capture on one interface, or on `any`",
    IN_FRAGMENTS: "in IP fragments",
    SHORT: "cut off within their headers; capture with a larger -s",
}


class CaptureInput:
    """Captures, read as one. Memory is bounded by the connections, and by the events of `WINDOW_US`.

    Times that go back by more than that in a capture give events that are out of order by as much.
    """

    def __init__(self, files: Sequence[InputFile], registry: Registry, progress: Callable[[], None]) -> None:
        self._files, self._registry, self._progress = files, registry, progress
        self.spans: dict[str, Span] = {}
        self._ordered = Ordered()
        self._streams = Streams(registry, self._ordered.waiting)

    def events(self) -> Iterator[Wire]:
        """Yield the events, by time."""
        streams, take, due, sweep = self._streams, self._streams.take, 0, 0
        current, span = "", [0, 0]
        for at, link, data, p, end, wire, name in merged(self._files, read_packets):
            if name is not current:
                current, span = name, self.spans.setdefault(name, [at, at])
            if at > span[1]:
                span[1] = at
            elif at < span[1] - WINDOW_US:
                self._registry.leave(name, BACKWARDS, "packets")
            found = segment(link, data, p, end, wire)
            if isinstance(found, int):
                if found in REASONS:
                    self._registry.leave(name, REASONS[found], "packets")
                continue
            take(at, found, data, name)
            if at >= due:
                streams.tick(at)
                if at >= sweep:
                    streams.forget(at)
                    sweep = at + SWEEP_US
                due = at + TICK_US
                self._progress()
                yield from self._ordered.due(at - WINDOW_US)
        streams.finish(max((last for _, last in self.spans.values()), default=0))
        yield from self._ordered.due(None)
        for file in self._files:
            self._registry.damaged(file)

    def handshakes(self) -> dict[int, Handshake]:
        """Return the handshakes of connections that are being decoded."""
        talks = (flow.talk for flow in self._streams.flows())
        return {talk.conn: found for talk in talks if talk is not None and (found := talk.handshake()) is not None}
