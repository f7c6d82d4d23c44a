"""Loads: how many records each workload begins together, and how many may be without an outcome. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.model import Role, Workload
from probe.model.roles import ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The figures of a workload that a driver and an engine get."""

    batch: int = 1
    """Records per interval and partition, which begin together. In a transaction, records per partition."""
    keys: tuple[str, ...] = ()
    """Keys of the records; with keys there is one record per interval and key, or in a transaction one per key."""
    max_in_flight: int = 32
    """Most records without an outcome per partition or key. An application with more of them waits."""

    def beat(self, role: Role) -> int:
        """Return the most operations of one interval that the affected object can have: what counts as one success."""
        return 1 if ROLES[role].transactional else max(self.batch, len(self.keys))


BATCH = 20
LOADS: Mapping[Workload, Load] = MappingProxyType(
    {
        Workload.CONTINUOUS: Load(),
        # Two bursts, each of which begins as a whole or not at all: an application that waits for the outcome of its
        # burst writes nothing, and a library that only new records wake stays silent (IBM/sarama #3689).
        Workload.PIPELINED: Load(batch=BATCH, max_in_flight=2 * BATCH),
        # Two of these lie in each of two partitions, by every hash that libraries use: murmur2, CRC-32, FNV-1a.
        Workload.KEYED: Load(keys=("key-0", "key-1", "key-4", "key-5")),
    }
)
"""The load of every workload. How a library fills batches is in its client.toml (`workloads`)."""
