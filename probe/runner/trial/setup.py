"""Set-up of a trial: its header and subject, the instance's start message, and the bystander's instance."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace

from probe.access import Access
from probe.model import Header, Subject, Target
from probe.model.cluster import COUNT, PLANNED, Nodes
from probe.model.conditions import current
from probe.model.paces import SLOW_INTERVAL_MS
from probe.model.profile import READ_COMMITTED
from probe.model.roles import ROLES
from probe.planning.phases import phase_of, waits_for_phase
from probe.planning.plan import Planned
from probe.ports import Instance, Sink, Start, Tap
from probe.runner.tools import Options, Tools
from probe.scenarios.racks import rack_of_reader
from probe.scenarios.scenario import Bootstrap, RoleVariant


def make_header(item: Planned, trial: int, tools: Tools, options: Options) -> Header:
    """Return the header of a trial; names and the failing broker are chosen by the seed."""
    cell = item.cell
    seed = options.seed
    rng = random.Random(f"{seed}/{cell}/{trial}")  # noqa: S311  # a choice of broker, no secret
    version = item.chosen.version
    words = cell.role if options.plain_names else f"{cell.family}-{cell.role}"
    name = f"{words}-{rng.randrange(16**6):06x}"
    return Header(
        cell=cell,
        trial=trial,
        seed=seed,
        play=item.expectation,
        limits=item.limits,
        subject=make_subject(item, name, PLANNED.at(rng.randrange(COUNT))),
        conditions=current(cell.engine),
        beat_ms=item.start_ms,
        sweep=item.sweep,
        phase=phase_of(cell, trial) if waits_for_phase(item) else None,
        batch=item.load.batch,
        keys=len(item.load.keys),
        released=version.released,
        mirrors=item.chosen.family.mirrors,
        artifact=tools.artifacts.get(cell.client, ""),
        judged_by=item.chosen.family.judged_by,
    )


def make_subject(item: Planned, name: str, old: int) -> Subject:
    """Return the subject of a trial, with names derived from the instance's.

    `old` is the failing broker among PLANNED: `Cluster.prepare` has the ids of the cluster.
    """
    role = item.cell.role
    bystander_instance, bystander_key = _bystander_names(item, name)
    return Subject(
        topic=f"probe-{name}",
        affected=0,
        bystander=1,
        instance=name,
        client_id=name,
        group=f"g-{name}" if ROLES[role].has_group or item.variant.offsets else "",
        transactional_id=f"t-{name}" if ROLES[role].transactional else "",
        old=old,
        bootstrap=BOOTSTRAP[item.variant.bootstrap](old),
        bystander_instance=bystander_instance,
        bystander_key=bystander_key,
        successor=f"{name}-s" if _has_second_member(item.variant) else "",
        shares=ROLES[role].shares,
    )


def _has_second_member(variant: RoleVariant) -> bool:
    return variant.member is not None or (variant.absence is not None and variant.absence.successor)


BOOTSTRAP: Mapping[Bootstrap, Callable[[int], tuple[int, ...]]] = {
    Bootstrap.ALL: lambda _: PLANNED.ids,
    Bootstrap.FAILING_FIRST: lambda old: (old, PLANNED.next(old)),
    Bootstrap.FAILING: lambda old: (old,),
    Bootstrap.FIXED: lambda _: (PLANNED.bootstrap,),
}
"""Brokers whose addresses the client gets, by the failing broker, among PLANNED."""


def _bystander_names(item: Planned, name: str) -> tuple[str, str]:
    """Return name and key of the second instance, which is the bystander of a coordinator's fault after a warm-up."""
    alone = item.variant.second_instance or item.variant.at_start or item.expectation.closes
    if item.expectation.target is not Target.COORDINATOR or alone:
        return "", ""
    kind = "t" if ROLES[item.cell.role].transactional else "g"
    return f"{name}-b", f"{kind}-{name}-b"


def make_start(
    item: Planned, subject: Subject, tap: Tap, access: Access | None = None, *, nodes: Nodes = PLANNED
) -> Start:
    """Return the start message of the instance, which reaches the brokers `nodes` by `access`; None = by PLAINTEXT."""
    return Start(
        instance=subject.instance,
        client_id=subject.client_id,
        role=str(item.cell.role),
        profile=item.profile.driven,
        properties={
            **item.chosen.family.settings_of(item.cell.workload, item.cell.role),
            **(item.chosen.family.read_committed if _is_committed_only(item) else {}),
            **_rack(item, subject.old, nodes),
            **dict(item.profile.properties),
        },
        bootstrap=[tap.address(node) for node in subject.bootstrap],
        topic=subject.topic,
        partitions=_partitions(subject),
        group=subject.group,
        transactional_id=subject.transactional_id,
        interval_ms=item.start_ms,
        max_in_flight=item.load.max_in_flight,
        broker=item.cell.broker,
        bystander=subject.bystander,
        bystander_ms=item.pace.bystander_ms,
        workload=str(item.cell.workload),
        batch=item.load.batch,
        keys=item.load.keys,
        access=access,
    )


def _is_committed_only(item: Planned) -> bool:
    """Return whether a reader is given committed records only, as the scenario or the profile asks."""
    return item.variant.committed_only or item.profile.name == READ_COMMITTED


def _rack(item: Planned, old: int, nodes: Nodes) -> Mapping[str, str]:
    """Return the library's own setting of the reader's rack; empty where brokers have none."""
    rack, span = rack_of_reader(item.variant, old, nodes), item.chosen.family.rack
    return {span.setting: rack} if rack and span is not None else {}


def _partitions(subject: Subject) -> list[int]:
    """Return the partitions that the instance works with.

    With a second instance as bystander, a transaction needs only one. Each more would be another marker that a
    coordinator writes, one request at a time (Kafka's TransactionMarkerChannelManager.scala).
    """
    has_bystander = subject.transactional_id and subject.bystander_instance
    return [subject.affected] if has_bystander else [subject.affected, subject.bystander]


@contextlib.asynccontextmanager
async def run_bystander(
    subject: Subject, item: Planned, tools: Tools, start: Start, sink: Sink
) -> AsyncIterator[Instance | None]:
    """Run the bystander's instance, if there is one; it only has to serve."""
    if not subject.bystander_instance:
        yield None
        return
    transactional = bool(start.transactional_id)
    other = replace(
        start,
        instance=subject.bystander_instance,
        client_id=subject.bystander_instance,
        partitions=[subject.bystander] if transactional else start.partitions,
        group="" if transactional else subject.bystander_key,
        transactional_id=subject.bystander_key if transactional else "",
        interval_ms=max(start.interval_ms, SLOW_INTERVAL_MS, item.pace.bystander_ms),
    )
    async with tools.host.start(item.cell, other, sink) as instance:
        yield instance
