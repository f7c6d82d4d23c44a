"""Temporary folders that are deleted at the end, even if the probe is killed."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from probe.processes.children import child

KEEPER = 'cat >/dev/null; sleep 0.5; rm -rf -- "$1"; sleep 2; rm -rf -- "$1"'
"""Deletes the folder when the probe's pipe closes; guards kill what writes into it at the same time."""


@contextlib.asynccontextmanager
async def temporary_folder(parent: Path | None = None) -> AsyncIterator[Path]:
    """Create an empty folder, in a parent or where temporary files belong; it is deleted at exit."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-metadata-probe-", dir=parent))
    async with child(["sh", "-c", KEEPER, "keeper", str(folder)]) as keeper:
        try:
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))
            keeper.kill()
