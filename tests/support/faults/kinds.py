"""The kinds of faults: a name for each, and the function that plays it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.support.faults import clock, concurrency, damage, drivers, limits, registry, signals, storage
from tests.support.faults.round import Round

Play = Callable[[Round], None]

KINDS: Mapping[str, Play] = {
    "kill": signals.killed,
    "stop": signals.stopped,
    "term": signals.terminated,
    "int": signals.interrupted,
    "twice": signals.signalled_twice,
    "disk": storage.full_disk,
    "inodes": storage.full_inodes,
    "read-only": storage.read_only,
    "files": limits.few_files,
    "processes": limits.few_processes,
    "memory": limits.little_memory,
    "damage": damage.damaged,
    "shared": concurrency.shared,
    "clock": clock.jumps,
    "driver": drivers.odd,
    "registry": registry.misbehaving,
}
