"""The table of methods to break and repair the disks of real brokers, and the choice between them.

The default is a library that is loaded into the broker's process (shim/broken_disk.c). It lets calls below a path fail
with EIO or ENOSPC, or delays them, at once and without root. Where there is no C compiler, the log dir is renamed.
Methods that need root are used only on request. Kafka takes a log dir offline at the first IOException (KIP-112) until
it is restarted, so a broker must be restarted after the repair. See docs/engines.md#ways-to-break-a-disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from probe.engines.kafka.disks.methods import Commands, DiskError, Rename, Shim
from probe.engines.kafka.ports import DiskWay

__all__ = ["METHODS", "DiskError", "DiskMethod", "choose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskMethod:
    """Description of a method to break disks."""

    name: str
    needs: str
    """Requirements on the machine."""
    sees: str
    """Error that the broker meets, and when."""
    repair: str
    """The repair, in addition to the broker's restart."""
    asked: bool = False
    """Used only when it is named."""


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
                repair="the rule is removed",
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
                repair="the flag is removed",
                asked=True,
            ),
            lambda: Commands("immutable", *IMMUTABLE),
        ),
        (
            DiskMethod(
                name="read-only",
                needs="root that may mount (CAP_SYS_ADMIN)",
                sees="read-only file system, when it next writes a checkpoint",
                repair="the mount is removed",
                asked=True,
            ),
            lambda: Commands("read-only", *READ_ONLY),
        ),
    )
}
"""In order of preference."""


def choose(name: str = "") -> DiskWay:
    """Return the method of a name, or the first usable one that needs no request. DiskError if there is none."""
    if name and name not in METHODS:
        raise DiskError(f"there is no method {name} to break disks; there are {', '.join(METHODS)}")
    wanted = [name] if name else [way for way, (described, _) in METHODS.items() if not described.asked]
    reason = ""
    for way in wanted:
        made = METHODS[way][1]()
        reason = made.impossible()
        if not reason:
            return made
    raise DiskError(f"disks cannot be broken by `{wanted[-1]}` here: {reason}")
