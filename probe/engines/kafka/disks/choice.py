"""Ways to break the disks of real brokers, and to mend them: a table, and what each way does.

The default is an own library, loaded into the broker's process (shim/broken_disk.c): calls under a path fail with EIO,
as on a disk that died, or with ENOSPC, or are slow, at once and without root. Where there is no C compiler, the log
dir is moved away. The ways that need root are options. Kafka takes a log dir offline for good at the first
IOException (KIP-112), so mending helps only a broker that is started again afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from probe.engines.kafka.disks.methods import Commands, DiskError, Rename, Shim
from probe.engines.kafka.ports import DiskWay

__all__ = ["METHODS", "DiskError", "DiskMethod", "choose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskMethod:
    """What a way to break disks is like."""

    name: str
    needs: str
    """What the machine must offer."""
    sees: str
    """What the broker meets."""
    repair: str
    """How all is well again; the broker's restart comes on top."""
    asked: bool = False
    """Taken only when it is named."""


IMMUTABLE = ((("chattr", "-R", "+i", "DIR"),), (("chattr", "-R", "-i", "DIR"),))
READ_ONLY = (
    (("mount", "--bind", "DIR", "DIR"), ("mount", "-o", "remount,ro,bind", "DIR")),
    (("umount", "-l", "DIR"),),
)

METHODS: Mapping[str, tuple[DiskMethod, Callable[[], DiskWay]]] = {
    item.name: (item, make)
    for item, make in (
        (
            DiskMethod(
                name="eio",
                needs="a C compiler, once",
                sees="EIO (or ENOSPC) at its very next write, fsync, truncate, rename or open for writing there",
                repair="the rule is taken back",
            ),
            Shim,
        ),
        (
            DiskMethod(
                name="rename",
                needs="nothing",
                sees="no such directory, when it next writes a checkpoint",
                repair="the log dir is moved back",
            ),
            Rename,
        ),
        (
            DiskMethod(
                name="immutable",
                needs="root, and a file system that has this flag (ext4, xfs, btrfs)",
                sees="operation not permitted, at its next open for writing, rename or truncate there",
                repair="the flag is taken away",
                asked=True,
            ),
            lambda: Commands("immutable", *IMMUTABLE),
        ),
        (
            DiskMethod(
                name="read-only",
                needs="root that may mount (CAP_SYS_ADMIN)",
                sees="read-only file system, when it next writes a checkpoint",
                repair="the mount is taken away",
                asked=True,
            ),
            lambda: Commands("read-only", *READ_ONLY),
        ),
    )
}
"""In order of preference."""


def choose(name: str = "") -> DiskWay:
    """Return the way of a name, or the first that this machine can and nobody must ask for. DiskError."""
    if name and name not in METHODS:
        raise DiskError(f"no way to break a disk is called {name}; there are {', '.join(METHODS)}")
    wanted = [name] if name else [way for way, (described, _) in METHODS.items() if not described.asked]
    reason = ""
    for way in wanted:
        made = METHODS[way][1]()
        reason = made.impossible()
        if not reason:
            return made
    raise DiskError(f"disks cannot be broken by `{wanted[-1]}` here: {reason}")
