"""Data folders of a cluster's servers: made for a new cluster, and put aside while another one has its addresses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from probe.engines.kafka.cluster import properties
from probe.engines.kafka.cluster.release import Release
from probe.errors import EngineError
from probe.files.atomic_writes import put_folder

LOG_DIRS = ("d0", "d1")
META = "meta"
ASIDE = ".aside"
"""Ending of the names of folders that are put aside."""


def make_controller(release: Release, folder: Path, cluster_id: str) -> None:
    """Format a KRaft controller's folder as a fresh install of its release does. EngineError."""
    if release.formatted is None:
        raise EngineError(f"Kafka {release.version} runs without ZooKeeper, and its metadata was not formatted")
    shutil.copytree(release.formatted, folder / META)
    _format(folder / META, cluster_id, properties.CONTROLLER)


def make_broker(folder: Path, cluster_id: str, node: int, *, kraft: bool) -> tuple[Path, Path]:
    """Make a broker's folders, with KRaft formatted, and return its log dirs."""
    first, second = (folder / name for name in LOG_DIRS)
    for path in (first, second):
        path.mkdir()
    if kraft:
        for path in (first, second, properties.metadata_dir((first, second))):
            _format(path, cluster_id, node)
    return first, second


def put_aside(folder: Path) -> None:
    """Put the data of a server aside."""
    for path, aside in _places(folder):
        if path.exists():
            put_folder(path, aside, aside)


def take_back(folder: Path) -> None:
    """Give a server its data again, if they were put aside; what it has now is deleted."""
    for path, aside in _places(folder):
        if aside.exists():
            shutil.rmtree(path, ignore_errors=True)
            put_folder(aside, path, aside)


def _places(folder: Path) -> Iterator[tuple[Path, Path]]:
    return ((folder / name, folder / f"{name}{ASIDE}") for name in (*LOG_DIRS, META))


def _format(path: Path, cluster_id: str, node: int) -> None:
    path.mkdir(exist_ok=True)
    (path / "meta.properties").write_text(properties.meta_properties(cluster_id, node))
