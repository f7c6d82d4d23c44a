"""Limits of this machine for trials of cost: a scale fits, or the number that does is named. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from probe.model.scale import Scale

RECORDS_PER_CORE, SINGLE_PER_CORE, CHOSEN_PER_CORE = 2600, 1500, 750
"""Records a second that a core carries: client, relay, fake cluster and the reports of the driver together, all and of
clients in `SINGLE`; and those of an interval that is chosen. Two cores carried 100 clients of franz-go with 1,000
partitions and a record to each in 20 s, and not those of librdkafka."""
SINGLE = frozenset({"C and C++", "Python"})
"""Languages whose clients take more for a record: librdkafka has a request for each partition."""
NEW_DRIVER_MB, CLIENT_MB = 200, 2
"""Memory of a process of clients, and of a client in it."""
PAIR_KB, BUFFERED_PAIR_KB = 10, 30
"""Memory of a partition of a client in client and harness, without and with a buffer of 16 KB for its batch."""
BUFFERED = frozenset({"Java"})
"""Languages whose producers take a whole batch's memory (`batch.size`) for each partition with a record."""
INTERPRETED = frozenset({"Python"})
"""Languages of which a process runs one thread at a time."""
PAIRS_PER_PROCESS = 3500
"""Partitions of all clients of a process, where it is `BUFFERED` or `INTERPRETED`: two batches each are 112 MB of a
JVM's heap of 192 MB (probe/drivers/sources/jar.py), and kafka-python looks at each partition for each record."""
THREADED = frozenset({"Java", "Python", "C and C++"})
"""Languages of families whose drivers have a thread per partition, up to `OWN_THREADS` (clients/java and
clients/python/driver_runtime)."""
OWN_THREADS = 16
"""More partitions of an instance share one thread."""
LIBRARY_THREADS, THREAD_KB = 8, 200
"""Threads of a client beside those of its partitions, and the memory of one."""
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
    threads: int | None = None
    """Threads that may still be started. None = unknown."""
    per_process: int
    """Clients of this kind that one process has at most."""
    threaded: bool = False
    """Whether the driver has threads for the partitions of a client."""
    buffered: bool = False
    """Whether producers take a whole batch's memory for each partition."""
    records_per_core: int = RECORDS_PER_CORE
    chosen_per_core: int = CHOSEN_PER_CORE
    interpreted: bool = False
    """Whether the clients of a process run in turn."""


def chosen_interval_ms(largest: Scale, room: Room) -> int:
    """Return the interval between two records to a partition that uses a part of what this machine carries."""
    needed_ms = largest.pairs * 1000 / (room.cores * room.chosen_per_core)
    return max(LEAST_INTERVAL_MS, math.ceil(needed_ms / STEP_MS) * STEP_MS)


def clients_per_process(scale: Scale, room: Room) -> int:
    """Return how many clients a process has at this scale."""
    if not (room.buffered or room.interpreted):
        return room.per_process
    return max(1, min(room.per_process, PAIRS_PER_PROCESS // (scale.partitions + 1)))


def too_large(scale: Scale, interval_ms: int, room: Room) -> str:
    """Return in one line why a scale does not fit, with the number that does; empty where it fits."""
    most = int(room.cores * room.records_per_core)
    if scale.pairs * 1000 > most * interval_ms:
        clients = max(0, most * interval_ms // 1000 // (scale.partitions + 1))
        longer = math.ceil(scale.pairs * 1000 / most / STEP_MS) * STEP_MS
        return (
            f"{scale}: {scale.pairs * 1000 // interval_ms} records a second, and this machine carries {most}; "
            f"give --interval {longer}, or at most {clients} clients"
        )
    shortage = _of_threads(scale, room) or _of_files(scale, room) or _of_memory(scale, room)
    return f"{scale}: {shortage}" if shortage else ""


def memory_mb(scale: Scale, room: Room) -> float:
    """Return about how much memory clients and harness need."""
    processes = math.ceil(scale.clients / clients_per_process(scale, room))
    threads = scale.clients * _threads_of_client(scale, room)
    pair_kb = BUFFERED_PAIR_KB if room.buffered else PAIR_KB
    return processes * NEW_DRIVER_MB + scale.clients * CLIENT_MB + (scale.pairs * pair_kb + threads * THREAD_KB) / 1024


def _threads_of_client(scale: Scale, room: Room) -> int:
    if not room.threaded:
        return 0
    series = scale.partitions + 1
    return LIBRARY_THREADS + (series if series <= OWN_THREADS else 1)


def _of_threads(scale: Scale, room: Room) -> str:
    each = _threads_of_client(scale, room)
    most = int(room.cores * THREADS_PER_CORE)
    if room.threads is not None:
        most = min(most, room.threads)
    if scale.clients * each <= most:
        return ""
    return (
        f"{scale.clients * each} threads, since a client of this kind has {each}, and this machine carries {most}; "
        f"give at most {most // each} clients"
    )


def _of_files(scale: Scale, room: Room) -> str:
    per_process = clients_per_process(scale, room)
    processes = math.ceil(scale.clients / per_process)
    if scale.clients * CLIENT_FILES + processes * DRIVER_FILES + OWN_FILES <= room.files:
        return ""
    clients = max(0, int((room.files - OWN_FILES) / (CLIENT_FILES + DRIVER_FILES / per_process)))
    return f"{room.files} open files allow {clients} clients; raise `ulimit -n`"


def _of_memory(scale: Scale, room: Room) -> str:
    if room.memory_mb is None:
        return ""
    left_mb = room.memory_mb - RESERVE_MB
    if memory_mb(scale, room) <= left_mb:
        return ""
    fits = next(number for number in range(scale.clients, -1, -1) if _fits(number, scale, room, left_mb))
    return (
        f"{memory_mb(scale, room):.0f} MB of memory, and {max(0.0, left_mb):.0f} MB are left; "
        f"give at most {fits} clients"
    )


def _fits(clients: int, scale: Scale, room: Room, left_mb: float) -> bool:
    return not clients or memory_mb(replace(scale, clients=clients), room) <= left_mb
