"""A cache of a benchmark's own: copies of what its runs need of the real one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from probe.cli.wiring.catalogue import families
from probe.drivers.provision import provision
from probe.toolchain.golang import fake_cluster
from probe.toolchain.tools import cache_root
from tests.support.faults.round import Round

VERSIONS = ("1.43.2", "1.43.3")
JARS = "kafka-clients-*"
DEFINITIONS = "versions"
"""Kafka's message definitions, extracted from the jars; a cold cache lacks them."""


def private_cache(round_: Round, *, cold: bool = False) -> Path:
    """Let the round's commands use a cache of their own, below its folder; return its path."""
    place = round_.folder / "cache"
    fill(place, "sarama", VERSIONS, cold=cold)
    round_.environment["PROBE_CACHE"] = str(place)
    return place


def fill(place: Path, family: str, versions: Sequence[str], *, cold: bool = False) -> None:
    """Copy what runs of a family's versions read from the real cache into another one."""
    place.mkdir(exist_ok=True)
    for source in _needed(family, tuple(versions)):
        if cold and source.parent.name == DEFINITIONS:
            continue
        target = place / source.relative_to(cache_root())
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


@cache
def _needed(name: str, versions: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders and files of the real cache that runs read; they are obtained if missing."""
    family, root = families()[name], cache_root()
    wanted = [one for one in family.versions if one.version in versions]
    drivers = [Path(provision(family, one).argv[0]).parent for one in wanted]
    definitions = sorted((root / DEFINITIONS).glob(f"{JARS}.json"))
    jars = [path for one in definitions for path in (root / "jars").glob(f"{one.stem}.jar*")]
    return (fake_cluster(root).parent, *drivers, *definitions, *jars)
