"""TCP streams out of segments: in order, each byte once, with the bytes that the capture lacks counted."""

from __future__ import annotations

from collections.abc import Iterator

from probe.diagnose.input.flows import CUT_OFF, Flow, Stream
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.segments import Segment, reversed_key
from probe.model import Event
from probe.protocol.tcp_packets import ACK, FIN, RST, SYN

MASK, HALF = 0xFFFFFFFF, 0x80000000
MOST_HELD = 1 << 20
"""Bytes that wait for those before them, per direction. Beyond that the missing bytes count as lost."""
MOST_SEGMENTS = 1024
"""Segments that wait, at most."""
LONGEST_WAIT_US = 3_000_000
"""Time that they wait, at most."""
IDLE_US = 900_000_000
"""Time after which a silent connection is forgotten; brokers close it after ten minutes."""
CLOSING_US = 1_000_000
"""Time after the end of one side after which a connection counts as closed."""


class Streams:
    """All connections of a capture. Events are appended to `out`."""

    def __init__(self, registry: Registry, out: list[Event]) -> None:
        self.out = out
        self._registry = registry
        self._streams: dict[bytes, Stream] = {}
        self._storms: set[Flow] = set()
        self._closing: set[Flow] = set()
        self._waiting: set[Stream] = set()

    def take(self, at: int, found: Segment, data: bytes, file: str) -> None:
        """Process a segment of `data`."""
        key, seq, ack, flags, start, end, length = found
        stream = self._streams.get(key)
        if stream is None or (flags & SYN and stream.next >= 0 and stream.start != (seq + 1) & MASK):
            if flags & RST or not (length or flags & SYN):
                return
            stream = self._new(key, at, file)
        flow = stream.flow
        flow.last_at = at
        if flags & SYN:
            self._begin(stream, at, (seq + 1) & MASK, ack if flags & ACK else -1)
            return
        if not flow.ignored:
            peer = stream.peer
            if flags & ACK:
                peer.acked = ack
                if peer.held and _is_acked(peer):
                    self._skip(peer, at)
            if length:
                self._payload(stream, at, seq, data[start:end], length)
        if flags & (FIN | RST):
            self._end(stream, at, reset=bool(flags & RST))

    def tick(self, at: int) -> None:
        """Process what is due by time: storms that are over, ends, missing bytes that do not come any more."""
        for flow in [flow for flow in self._storms if flow.talk is None or not flow.talk.fold.folding]:
            self._storms.discard(flow)
        for flow in self._storms:
            if flow.talk is not None:
                self.out += flow.talk.tick(at)
        for flow in [flow for flow in self._closing if at - flow.last_at > CLOSING_US]:
            self._remove(flow, flow.last_at)
        for stream in [stream for stream in self._waiting if at - _waits_since(stream) > LONGEST_WAIT_US]:
            self._skip(stream, at)

    def forget(self, at: int) -> None:
        """Forget connections that have been silent for long."""
        silent = {stream.flow for stream in self._streams.values() if at - stream.flow.last_at > IDLE_US}
        for flow in silent:
            self._remove(flow, at)

    def finish(self, at: int) -> None:
        """Process the end of the capture."""
        for flow in dict.fromkeys(stream.flow for stream in self._streams.values()):
            self._remove(flow, max(at, flow.last_at))

    def flows(self) -> Iterator[Flow]:
        """Yield the connections that are being decoded."""
        return (stream.flow for stream in self._streams.values() if stream.flow.client is stream)

    def _new(self, key: bytes, at: int, file: str) -> Stream:
        if key in self._streams:  # the ports are used by a new connection
            self._remove(self._streams[key].flow, at)
        stream, peer = Stream(key), Stream(reversed_key(key))
        stream.peer, peer.peer = peer, stream
        flow = stream.flow = peer.flow = Flow(self._registry, file, at)
        flow.streams = (stream, peer)
        self._streams[key], self._streams[peer.key] = stream, peer
        return stream

    def _begin(self, stream: Stream, at: int, start: int, ack: int) -> None:
        """Process a SYN, or an answer to one."""
        answers = ack >= 0
        for side, first in ((stream, start), (stream.peer, ack)):
            if first >= 0 and side.next < 0:
                side.next = side.start = first
        stream.flow.begin(stream.peer if answers else stream, at)

    def _payload(self, stream: Stream, at: int, seq: int, data: bytes, length: int) -> None:
        if stream.next < 0:
            stream.next = seq
        ahead = (seq - stream.next) & MASK
        if ahead:
            if ahead < HALF:
                self._hold(stream, at, seq, data, length)
                return
            known = MASK + 1 - ahead
            if known >= length:  # sent again, or captured twice
                return
            data, length = data[known:], length - known
        self._deliver(stream, at, data, length)
        while stream.held and self._next_held(stream, at):
            pass

    def _deliver(self, stream: Stream, at: int, data: bytes, length: int) -> None:
        """Pass on the next bytes. The rest of `length` was cut off by the capture (snaplen)."""
        stream.next = (stream.next + length) & MASK
        flow = stream.flow
        flow.take(stream, at, data, self.out)
        if length > len(data):
            flow.lose(stream, at, length - len(data), self.out, CUT_OFF)
        if flow.talk is not None and flow.talk.fold.folding:
            self._storms.add(flow)

    def _hold(self, stream: Stream, at: int, seq: int, data: bytes, length: int) -> None:
        """Keep a segment until those before it come."""
        before = stream.held.get(seq)
        if before is None or before[2] < length:
            stream.held_bytes += len(data) - (len(before[1]) if before else 0)
            stream.held[seq] = (at, data, length)
            self._waiting.add(stream)
        if stream.held_bytes > MOST_HELD or len(stream.held) > MOST_SEGMENTS or _is_acked(stream):
            self._skip(stream, at)

    def _next_held(self, stream: Stream, at: int) -> bool:
        """Pass on the first segment that was kept, if it follows. Return whether it did, or was known."""
        seq = _first(stream)
        ahead = (seq - stream.next) & MASK
        if 0 < ahead < HALF:
            return False
        _, data, length = stream.held.pop(seq)
        stream.held_bytes -= len(data)
        if not stream.held:
            self._waiting.discard(stream)
        known = (MASK + 1 - ahead) & MASK
        if known < length:
            self._deliver(stream, at, data[known:], length - known)
        return True

    def _skip(self, stream: Stream, at: int) -> None:
        """Count the bytes before the first segment that was kept as lost, and pass on what follows."""
        if stream.held:
            seq = _first(stream)
            lost = (seq - stream.next) & MASK
            if lost < HALF:
                stream.next = seq
                stream.flow.lose(stream, at, lost, self.out)
            while stream.held and self._next_held(stream, at):
                pass

    def _end(self, stream: Stream, at: int, *, reset: bool) -> None:
        flow = stream.flow
        side = "client" if stream is flow.client else "broker"
        both = flow.closed_by not in {"", side}
        flow.closed_by = flow.closed_by or side
        self._closing.add(flow)
        if reset or both:
            self._remove(flow, at)

    def _remove(self, flow: Flow, at: int) -> None:
        for stream in flow.streams:
            while stream.held:
                self._skip(stream, at)
            self._waiting.discard(stream)
            if self._streams.get(stream.key) is stream:
                del self._streams[stream.key]
        flow.end(at, self.out)
        self._storms.discard(flow)
        self._closing.discard(flow)


def _first(stream: Stream) -> int:
    """Return the sequence number of the first segment that waits."""
    if stream.next in stream.held:
        return stream.next
    return min(stream.held, key=lambda seq: (seq - stream.next + HALF) & MASK)


def _is_acked(stream: Stream) -> bool:
    """Return whether the other side has what is missing here, so that it will not be sent again."""
    return stream.acked >= 0 and 0 < (stream.acked - stream.next) & MASK < HALF


def _waits_since(stream: Stream) -> int:
    """Return when the first segment came that waits."""
    return next(iter(stream.held.values()), (0, b"", 0))[0]
