"""Limits of this machine for trials of cost: a scale fits, or the number that does is named. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from probe.model.scale import Scale

RECORDS_PER_CORE = 1500
"""Records a second that a core carries: client, relay, fake cluster and the reports of the driver together."""
NEW_DRIVER_MB, CLIENT_MB = 200, 2
"""Memory of a process of clients, and of a client in it."""
PAIR_KB, THREADED_PAIR_KB = 10, 200
"""Memory of a partition of a client in client and harness: without a thread of its own, and with one."""
THREADED = frozenset({"Java", "Python", "C and C++"})
"""Languages of families whose drivers have a thread per partition (clients/java, clients/python/driver_runtime)."""
THREADS_PER_CORE = 1500
RESERVE_MB = 512
CLIENT_FILES, DRIVER_FILES, OWN_FILES = 24, 6, 120
"""Open files of the harness: 12 connections of a client, two ends each; a driver process; everything else."""
LEAST_INTERVAL_MS, STEP_MS = 1000, 500
"""Shortest interval that is chosen, and the numbers to which longer ones are rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Resources of this machine for a trial."""

    cores: float
    memory_mb: float | None
    """None = unknown."""
    files: int
    per_process: int
    """Clients of this kind that one process has."""
    threaded: bool = False
    """Whether the driver has a thread per partition and client."""


def chosen_interval_ms(largest: Scale, room: Room) -> int:
    """Return the interval between two records to a partition at which half of what this machine carries is used."""
    needed_ms = largest.pairs * 1000 / (room.cores * RECORDS_PER_CORE / 2)
    return max(LEAST_INTERVAL_MS, math.ceil(needed_ms / STEP_MS) * STEP_MS)


def too_large(scale: Scale, interval_ms: int, room: Room) -> str:
    """Return in one line why a scale does not fit, with the number that does; empty where it fits."""
    most = int(room.cores * RECORDS_PER_CORE)
    if scale.pairs * 1000 > most * interval_ms:
        clients = max(0, most * interval_ms // 1000 // (scale.partitions + 1))
        longer = math.ceil(scale.pairs * 1000 / most / STEP_MS) * STEP_MS
        return (
            f"{scale}: {scale.pairs * 1000 // interval_ms} records a second, and this machine carries {most}; "
            f"give --interval {longer}, or at most {clients} clients"
        )
    threads = int(room.cores * THREADS_PER_CORE)
    if room.threaded and scale.pairs > threads:
        fits = threads // (scale.partitions + 1)
        return (
            f"{scale}: {scale.pairs} threads, since its driver has one per partition, and this machine carries "
            f"{threads}; give at most {fits} clients"
        )
    processes = math.ceil(scale.clients / room.per_process)
    if scale.clients * CLIENT_FILES + processes * DRIVER_FILES + OWN_FILES > room.files:
        each = CLIENT_FILES + DRIVER_FILES / room.per_process
        return (
            f"{scale}: {room.files} open files allow {int((room.files - OWN_FILES) / each)} clients; raise `ulimit -n`"
        )
    if room.memory_mb is None:
        return ""
    left_mb = room.memory_mb - RESERVE_MB
    if memory_mb(scale, room) <= left_mb:
        return ""
    fits = next(number for number in range(scale.clients, -1, -1) if _fits(number, scale, room, left_mb))
    return (
        f"{scale}: {memory_mb(scale, room):.0f} MB of memory, and {max(0.0, left_mb):.0f} MB are left; "
        f"give at most {fits} clients"
    )


def memory_mb(scale: Scale, room: Room) -> float:
    """Return about how much memory clients and harness need."""
    processes, pair_kb = math.ceil(scale.clients / room.per_process), THREADED_PAIR_KB if room.threaded else PAIR_KB
    return processes * NEW_DRIVER_MB + scale.clients * CLIENT_MB + scale.pairs * pair_kb / 1024


def _fits(clients: int, scale: Scale, room: Room, left_mb: float) -> bool:
    return not clients or memory_mb(replace(scale, clients=clients), room) <= left_mb
