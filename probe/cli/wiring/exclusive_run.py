"""One run at a time in a results folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from probe.cli.console.streams import say
from probe.store.lock import RUNS, locked, run_lock


@contextmanager
def exclusive_run(results: str, shard: tuple[int, int] = (1, 1), wait_s: float = 0.0) -> Iterator[None]:
    """Lock a results folder against other runs of this shard. LockedError, with the holder, after `wait_s` seconds."""
    with (
        locked(results, run_lock(shard_name(shard)), wait_s=wait_s, say=say),
        locked(results, RUNS, shared=True, wait_s=wait_s, say=say),
    ):
        yield


def shard_name(shard: tuple[int, int]) -> str:
    """Return the name of a shard in file names."""
    index, count = shard
    return f"{index}of{count}"
