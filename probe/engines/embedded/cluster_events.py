"""Events of a fake cluster, as those of an engine. Pure."""

from __future__ import annotations

from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import EngineEvent, EngineKind

RETURNED = pb.TopicChange.What.Name(pb.TopicChange.RECREATE)
"""Text of the event of a topic that has come back."""
KINDS = {number: EngineKind(name.lower()) for name, number in pb.Event.Kind.items() if name.lower() in set(EngineKind)}


def engine_event(event: pb.Event, kind: EngineKind) -> EngineEvent:
    """Return the event of a fake cluster as one of a kind."""
    return EngineEvent(
        at=event.at_us,
        kind=kind,
        broker=event.broker,
        topic=event.topic,
        partition=event.partition,
        key=event.key,
        value=event.value,
        text=event.text,
    )
