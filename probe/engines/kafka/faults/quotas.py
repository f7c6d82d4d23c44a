"""Client quotas: brokers ask the clients of all subjects to wait."""

from __future__ import annotations

from probe.engines.kafka.ports import FaultTarget
from probe.scenarios.steps.real_brokers import SetQuota


async def limit(step: SetQuota, target: FaultTarget) -> None:
    """Set the quota of every client."""
    await target.cluster.admin.set_quota(clients(target), step.key, step.value)
    target.mark_fault_on()


async def lift(step: SetQuota, target: FaultTarget) -> None:
    """Remove the quota. A connection that a broker does not read from stays so until its throttle time is over."""
    await target.cluster.admin.set_quota(clients(target), step.key, None)


def clients(target: FaultTarget) -> list[str]:
    """Return the client ids of all instances."""
    names = {name for one in target.subjects for name in (one.client_id, one.bystander_instance)}
    return sorted(names - {""})
