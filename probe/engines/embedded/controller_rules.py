"""Steps on the controller, as rules and changes of the fake cluster. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Subject
from probe.protocol import apis
from probe.scenarios.steps.controller import LoseController, MoveController

NOT_CONTROLLER = 41
REFUSED = (apis.CREATE_TOPICS,)
"""Requests of clients for the controller."""
UNTIL_HEALED_MS = 3_600_000
"""Duration of holds that only Heal ends."""

FakePart = tuple[Sequence[pb.Rule], Sequence[pb.Timed]]


def controller(subject: Subject) -> int:
    """Return the controller before the fault: the broker that the history of the cluster made it."""
    return NODES.next(subject.old)


def moved(subject: Subject) -> pb.Change:
    """Return the change by which the next broker becomes the controller."""
    return pb.Change(move_controller=pb.MoveController(to=NODES.next(controller(subject))))


def at_controller(subject: Subject, rule: pb.Rule) -> pb.Rule:
    """Add the controller to a rule about requests to it."""
    rule.MergeFrom(pb.Rule(brokers=[controller(subject)]))
    return rule


def _move(step: MoveController, subject: Subject, _: int) -> FakePart:
    change = moved(subject)
    others = NODES.others(change.move_controller.to)
    refused = pb.Rule(id="not-controller", apis=REFUSED, brokers=others, code=NOT_CONTROLLER)
    all_refuse = pb.Rule(id="no-controller", apis=REFUSED, code=NOT_CONTROLLER, until_ms=step.named_ms)
    timed = pb.Timed(change=change, from_start=True, after_ms=step.named_ms)
    return [all_refuse, refused] if step.named_ms else [refused], [timed]


def _lose(_: LoseController, __: Subject, ___: int) -> FakePart:
    return [pb.Rule(id="no-controller", apis=REFUSED, action=pb.HOLD, hold_ms=UNTIL_HEALED_MS)], []


RULES: Mapping[type, Callable[..., FakePart]] = {MoveController: _move, LoseController: _lose}
