"""The relay's part of an embedded cluster's faults: network faults, and ports that follow their brokers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from probe.engines.embedded.broker_rules import whose_turn
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.errors import HarnessError
from probe.model import Subject
from probe.model.endpoint import Endpoint
from probe.ports import RelayPort
from probe.protocol.apis import DISCOVERY_APIS
from probe.scenarios.steps.brokers import (
    NOW,
    Blackhole,
    ChangeAddress,
    ChangeAddresses,
    CutAnswers,
    ExpireIdle,
    KeepAnswers,
    LimitVersions,
    RefuseConnections,
    ReplaceCluster,
    ReturnBroker,
    SlowDown,
    StopBroker,
    SwapAddresses,
)
from probe.scenarios.steps.logins import CutAllConnections
from probe.scenarios.steps.partitions import CutConnections, HoldDiscovery
from probe.scenarios.steps.step import Step

Readdress = Callable[[Sequence[Endpoint]], Awaitable[object]]
Return = Callable[[int], Awaitable[object]]
"""Lets a broker serve again, in office as before."""


def _refuse(relay: RelayPort, step: RefuseConnections, subject: Subject) -> None:
    (relay.refuse_after_attempt if step.once_tried else relay.refuse)(subject.old)


def _stop(relay: RelayPort, step: StopBroker, subject: Subject) -> None:
    if step.when == NOW:
        relay.refuse(whose_turn(subject, step.turn))


def _leave(relay: RelayPort, step: ChangeAddress, subject: Subject) -> None:
    (relay.blackhole if step.silent else relay.refuse)(subject.old)
    if step.hides_name:
        relay.hide_name(subject.old)


def _swap(relay: RelayPort, step: SwapAddresses, subject: Subject) -> None:
    relay.refuse(subject.old)
    relay.refuse(whose_turn(subject, step.turn))


def _keep(relay: RelayPort, step: KeepAnswers, subject: Subject) -> None:
    relay.keep_back(subject.old, step.apis, step.times, step.keep_ms)


def _reset_on_versions(relay: RelayPort, step: LimitVersions, _: Subject) -> None:
    if not step.malformed:
        _limit_versions(relay, step.highest)


def _limit_versions(relay: RelayPort, highest: int | None) -> None:
    for broker in NODES.addresses:
        relay.limit_versions(broker, highest)


BEFORE: Mapping[type, Callable[[RelayPort, Any, Subject], None]] = {
    HoldDiscovery: lambda relay, step, _: relay.hold(DISCOVERY_APIS, step.hold_ms),
    SlowDown: lambda relay, step, subject: relay.slow(subject.old, step.delay_ms),
    CutAnswers: lambda relay, step, subject: relay.cut_answers(subject.old, step.apis, step.passing),
    KeepAnswers: _keep,
    ExpireIdle: lambda relay, step, _: relay.expire_idle(step.after_ms, forgotten=step.forgotten),
    LimitVersions: _reset_on_versions,
    Blackhole: lambda relay, _, subject: relay.blackhole(subject.old),
    ChangeAddress: _leave,
    SwapAddresses: _swap,
    RefuseConnections: _refuse,
    StopBroker: _stop,
}
"""Network faults that must be in force before the cluster's part of the fault."""


class Network:
    """The network between the clients and the brokers of one cluster."""

    def __init__(self, relay: RelayPort, readdress: Readdress, back: Return) -> None:
        self._relay = relay
        self._readdress = readdress
        self._back = back
        self._moving: asyncio.Task[None] | None = None
        self._next: Sequence[Endpoint] = ()
        self._replaced: Callable[[], None] = lambda: None
        self._movers: set[int] = set()
        """Brokers that return at another address behind their name."""

    def will_be(self, brokers: Sequence[Endpoint], replaced: Callable[[], None]) -> None:
        """Take the brokers that `ReplaceCluster` puts in the place of these, and what is called when it has."""
        self._next, self._replaced = brokers, replaced

    def before(self, steps: Sequence[Step], subject: Subject) -> None:
        """Inject network faults that must be in force before the cluster's part of the fault."""
        for step in steps:
            if isinstance(step, ReturnBroker) and step.behind_name:
                self._movers.add(whose_turn(subject, step.turn))
            if inject := BEFORE.get(type(step)):
                inject(self._relay, step, subject)

    async def after(self, steps: Sequence[Step], subject: Subject) -> None:
        """Cut connections and move addresses after the cluster's part of the fault."""
        for step in steps:
            if isinstance(step, CutConnections | RefuseConnections):
                await self._relay.cut(subject.old)
            elif isinstance(step, CutAllConnections):
                for broker in NODES.addresses:
                    await self._relay.cut(broker)
            elif isinstance(step, ChangeAddresses):
                await self._all_gone()
                self._moving = asyncio.create_task(self._return_elsewhere(step))
            elif isinstance(step, ChangeAddress):
                self._moving = asyncio.create_task(self._one_returns_elsewhere(step, subject.old))
            elif isinstance(step, SwapAddresses):
                self._moving = asyncio.create_task(self._two_swap(step, subject))
            elif isinstance(step, ReplaceCluster):
                await self._all_gone()
                self._moving = asyncio.create_task(self._others_come(step.down_ms))

    async def on_event(self, event: pb.Event) -> None:
        """Let the relay's port of a broker refuse while the broker is stopped."""
        if event.kind == pb.Event.STOPPED and not event.text:
            self._relay.refuse(event.broker)
            await self._relay.cut(event.broker)
        elif event.kind == pb.Event.RETURNED and event.broker in self._movers:
            self._movers.discard(event.broker)
            self._relay.move_behind_name(event.broker)
        elif event.kind in {pb.Event.STOPPED, pb.Event.RETURNED}:
            self._relay.accept(event.broker)

    def revert(self) -> None:
        """End all network faults except changes of addresses, which are permanent."""
        self._relay.hold((), 0)
        _limit_versions(self._relay, None)
        self._relay.expire_idle(0)
        for broker in NODES:
            self._relay.slow(broker, 0)
            self._relay.cut_answers(broker, (), ())
            self._relay.keep_back(broker, (), 0, 0)
            self._relay.blackhole(broker, on=False)
            if self._moving is None:
                self._relay.accept(broker)

    async def close(self) -> None:
        """Stop a change of addresses that is under way."""
        if self._moving is not None:
            self._moving.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError, HarnessError):
                await self._moving

    async def _all_gone(self) -> None:
        for broker in NODES.addresses:
            self._relay.refuse(broker)
        for broker in NODES.addresses:
            await self._relay.cut(broker)

    async def _return_elsewhere(self, step: ChangeAddresses) -> None:
        await asyncio.sleep(step.down_ms / 1000)
        addresses = [self._relay.move(broker) for broker in NODES]
        await self._readdress(addresses)
        if step.behind_name:
            self._relay.move_behind_name(NODES.bootstrap)
        else:
            self._relay.accept(NODES.bootstrap)

    async def _one_returns_elsewhere(self, step: ChangeAddress, broker: int) -> None:
        await asyncio.sleep(step.down_ms / 1000)
        if step.behind_name:
            self._relay.move_behind_name(broker, keeps=step.keeps_former)
        else:
            self._relay.move(broker, silent=step.silent)
            await self._readdress([self._relay.address(node) for node in NODES])
        await self._back(broker)

    async def _two_swap(self, step: SwapAddresses, subject: Subject) -> None:
        other = whose_turn(subject, step.turn)
        await asyncio.sleep(step.other_ms / 1000)
        self._relay.swap(subject.old, other)
        await self._readdress([self._relay.address(node) for node in NODES])
        await self._back(other)  # its port accepts with the event of its return
        await asyncio.sleep((step.down_ms - step.other_ms) / 1000)
        await self._back(subject.old)

    async def _others_come(self, down_ms: int) -> None:
        await asyncio.sleep(down_ms / 1000)
        for node, address in zip(NODES.addresses, (self._next[0], *self._next), strict=True):
            self._relay.forward(node, address)
        self._replaced()
        for node in NODES.addresses:
            self._relay.accept(node)
