"""The table of workloads: the roles that have each one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probe.model.cell import Role, Workload
from probe.model.roles import READERS, WRITERS

HAVING: Mapping[Workload, frozenset[Role]] = MappingProxyType(
    {
        Workload.CONTINUOUS: frozenset(Role),
        Workload.PIPELINED: frozenset((*WRITERS, *READERS)),
        Workload.KEYED: frozenset(WRITERS),
    }
)
"""The roles whose application can work in this way. Only writers have keys, and an admin handles no records."""


def reason_against(workload: Workload, role: Role) -> str:
    """Return why a role does not have a workload; empty if it has it."""
    if role in HAVING[workload]:
        return ""
    having = ", ".join(str(one) for one in Role if one in HAVING[workload])
    return f"workload {workload} does not apply to role {role}; its roles are {having}"
