"""Conversion of driver.proto's messages from and to the model."""

from __future__ import annotations

import re

from probe.access import Access
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.clock import Clock
from probe.model import App, AppKind, ClientError
from probe.model.cluster_history import ABORTED, LEFT, OLD, WRITER
from probe.ports import Start
from probe.toolchain.local_places import without_places

ENDINGS = (AppKind.CLOSED, AppKind.FATAL, AppKind.UNSUPPORTED)
KINDS: dict[int, AppKind] = {
    number: AppKind(name.lower()) for name, number in pb.Kind.items() if name != "KIND_UNSPECIFIED"
}
OWNING = frozenset({AppKind.ASSIGNED, AppKind.REVOKED})
"""Kinds whose lists are read; reading an empty list costs as much as all other fields together."""
VALUE_PARTS = 4
NUMBER = re.compile(r"[0-9]{1,18}")
"""A number of 64 bits without a sign."""
OF_WRITER = {WRITER: OLD, LEFT: ABORTED}


def to_start(start: Start) -> pb.Start:
    """Build the message that starts an instance."""
    return pb.Start(
        instance=start.instance,
        client_id=start.client_id,
        role=start.role,
        profile=start.profile,
        properties=dict(start.properties),
        bootstrap=[str(address) for address in start.bootstrap],
        topic=start.topic,
        partitions=list(start.partitions),
        group=start.group,
        transactional_id=start.transactional_id,
        interval_ms=start.interval_ms,
        max_in_flight=start.max_in_flight,
        broker=start.broker,
        bystander=start.bystander,
        bystander_ms=start.bystander_ms,
        workload=start.workload,
        batch=start.batch,
        keys=list(start.keys),
        security=None if start.access is None else to_security(start.access),
    )


def to_security(access: Access) -> pb.Security:
    """Build the message about the listener of an instance."""
    return pb.Security(
        protocol=str(access.security.protocol),
        mechanism=str(access.security.mechanism or ""),
        user=access.user,
        password=access.password,
        authority=access.authority,
        authority_file=access.authority_file,
        token_endpoint=access.token_endpoint,
        certificate=access.certificate,
        key=access.key,
        certificate_file=access.certificate_file,
    )


def to_app(event: pb.Event, clock: Clock) -> App:
    """Convert a driver's event, with its time on the orchestrator's clock; an unknown kind becomes a notice.

    Places of this machine in its texts are named by what they are.
    """
    kind = KINDS.get(event.kind, AppKind.NOTICE)
    sequence, origin_at = event.sequence, 0
    if kind is AppKind.RECEIVED:
        sequence, origin_at = read_value(event.value)
    error = None
    if event.HasField("error"):
        text = without_places(event.error.text)
        error = ClientError(event.error.code, event.error.name, event.error.type, text, event.error.retriable)
    return App(
        at=clock.at(event.clock_us),
        kind=kind,
        instance=event.instance,
        partition=event.partition,
        sequence=sequence,
        offset=event.offset,
        origin_at=origin_at,
        error=error,
        partitions=tuple(event.partitions) if kind in OWNING else (),
        settings=dict(event.settings) if kind is AppKind.READY else {},
        text=without_places(event.text),
    )


def read_value(value: str) -> tuple[int, int]:
    """Return sequence and creation time of a record's value; (-1, 0) if it is not of our form.

    The sequence of a record of the cluster's history is `OLD`, of one in a transaction left open `ABORTED`.
    """
    parts = value.split(" ")
    if len(parts) != VALUE_PARTS or not NUMBER.fullmatch(parts[2]) or not NUMBER.fullmatch(parts[3]):
        return -1, 0
    return OF_WRITER.get(parts[0], int(parts[2])), int(parts[3])
