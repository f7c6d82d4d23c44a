"""Limits of trials of cost on real brokers, beside those of the machine. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from probe.model.release_lines import Since, has
from probe.model.scale import CLIENTS, PARTITIONS, Scale
from probe.runner.cost.machine_room import Room

MOST = {PARTITIONS: 200, CLIENTS: 50}
"""Greatest numbers."""
RECORDS_PER_CORE, CHOSEN_PER_CORE = 400, 170
"""Records a second that a core carries beside three brokers, each of which writes a line for each request, and those of
an interval that is chosen."""
BROKERS_MB, LOGS_MB = 1000, 500
"""Memory of three brokers with their controller, and of their request logs, which lie in memory, too."""


def unmeasured(line: str, scales: Sequence[Scale]) -> str:
    """Return in one line why real brokers of a release line are not measured at these scales; empty where they are."""
    if not has(line, Since.KRAFT_HERE):
        return f"--broker {line}: it runs with ZooKeeper, and costs are measured on KRaft lines; give 3.9 or 4.4"
    if any(not one.is_calm for one in scales):
        return "late and admitted stand for the queue that a fake cluster lacks, and real brokers have their own"
    for name, most in MOST.items():
        greatest = max(getattr(one, name) for one in scales)
        if greatest > most:
            return f"{name} {greatest}: real brokers of one machine are asked for at most {most}"
    return ""


def with_brokers(room: Room) -> Room:
    """Return what is left of a machine beside real brokers."""
    return replace(
        room,
        memory_mb=None if room.memory_mb is None else max(0.0, room.memory_mb - BROKERS_MB - LOGS_MB),
        records_per_core=RECORDS_PER_CORE,
        chosen_per_core=CHOSEN_PER_CORE,
    )
