"""Puts the kafka engine together: versions, jars, Java, a way to break disks."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from probe.catalogue.brokers import Kafka as Listed
from probe.catalogue.brokers import broker_digests, check_lines, real_brokers
from probe.cli.compose import relays
from probe.drivers.sources.maven import fetch, schema_jars
from probe.engines.disk import choose
from probe.engines.kafka import Kafka
from probe.engines.kafka.archive import place
from probe.engines.kafka.release import Release
from probe.engines.kafka_deeds import DEEDS
from probe.javac import java
from probe.model import Engine
from probe.plan import Plan
from probe.protocol.schemas import Schemas
from probe.tools import cache_root

CLUSTER_MB = 1500
"""One cluster, with room to spare."""
CLUSTERS = 2


def kafka_engine(lines: Collection[str], report: Callable[[str], None]) -> Kafka:
    """Fetch what these broker lines need and describe the engine. CatalogueError, ToolError or ProvisionError."""
    check_lines(sorted(lines))
    java()
    releases = {line: _release(real_brokers()[line], report) for line in sorted(lines)}
    schemas = Schemas(schema_jars(cache_root()))
    schemas.warm()
    clusters = CLUSTERS if _free_mb() > CLUSTERS * CLUSTER_MB * 2 else 1
    return Kafka(releases, relays(schemas), choose(os.environ.get("PROBE_DISK", "")), DEEDS, clusters=clusters)


def exact_versions(plan: Plan) -> Mapping[str, str]:
    """Return the exact version behind each broker line of a plan, by the name that run.json knows it by."""
    lines = {item.cell.broker for item in plan.cells if item.cell.engine is Engine.KAFKA}
    return {f"kafka {line}": real_brokers()[line].version for line in sorted(lines)}


def _release(listed: Listed, report: Callable[[str], None]) -> Release:
    found = fetch(listed.jars, cache_root(), digests=broker_digests())
    release = Release(
        version=listed.version,
        line=listed.line,
        kraft=listed.mode == "kraft",
        jars=[found[name] for name in listed.jars],
        java=java(),
        options=listed.java,
    )
    archive = place(cache_root(), release)
    if not archive.exists():
        report(f"Kafka {listed.version}: its classes are archived once, so that it starts faster")
    return replace(release, archive=archive)


def _free_mb() -> int:
    """Return how much memory is free now; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (ValueError, OSError):
        return 0
