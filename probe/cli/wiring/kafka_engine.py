"""Builds the kafka engine: versions, jars, Java, a method for disk faults."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from probe.catalogue.brokers import Kafka as Listed
from probe.catalogue.brokers import broker_digests, generation_of, real_brokers
from probe.cli.wiring.composition import Relays
from probe.engines.kafka.admin.read_back import load_library
from probe.engines.kafka.cluster import formatting
from probe.engines.kafka.cluster.class_data_archive import place
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.disks.choice import choose
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.faults.actions import ACTIONS
from probe.files.atomic_writes import write_file
from probe.model.engines import ENGINES
from probe.planning.cohorts import MAX_CLUSTERS, MAX_SILENCE_CLUSTERS
from probe.planning.plan import Plan
from probe.processes.machine import MachineFiles
from probe.protocol.schemas import Schemas
from probe.runner import Options
from probe.runner.schedule.cohorts import drain_in_cohorts
from probe.runner.schedule.descriptors import within_cohorts
from probe.runner.schedule.memory import within_memory
from probe.runner.schedule.pool import Drain
from probe.toolchain.java import java
from probe.toolchain.maven_dependencies import resolve
from probe.toolchain.maven_jars import fetch, schema_jars
from probe.toolchain.tools import cache_root

CLUSTER_MB = 1500
"""Memory of one cluster, in MB, with a reserve."""


def kafka_engine(versions: Mapping[str, str], report: Callable[[str], None], *, capture: bool = False) -> Kafka:
    """Download the jars of these versions (by line) and build the engine. CatalogueError, ToolError, ProvisionError."""
    java()
    load_library()
    releases = {line: _release(line, versions[line], report) for line in sorted(versions)}
    schemas = Schemas(schema_jars(cache_root()))
    schemas.warm()
    fit = (MachineFiles().available_mb() or 0) // (2 * CLUSTER_MB)
    clusters = max(1, min(MAX_CLUSTERS, fit))
    in_silence = max(0, min(MAX_SILENCE_CLUSTERS, fit - clusters))
    opening = Relays(schemas=schemas, capture=capture)
    disk = choose(os.environ.get("PROBE_DISK", ""))
    return Kafka(releases, opening, disk, ACTIONS, clusters=clusters, in_silence=in_silence)


def exact_versions(plan: Plan) -> Mapping[str, str]:
    """Return the exact version of each release line with cells on real brokers."""
    lines = {item.cell.broker for item in plan.cells if ENGINES[item.cell.engine].real}
    return {line: plan.exact.get(line) or real_brokers()[line].version for line in sorted(lines)}


def description(engine: Kafka) -> dict[str, str]:
    """Return what a run's description says about real brokers: exact versions, and the features that are final."""
    found = {}
    for line, release in engine.releases.items():
        found[f"kafka {line}"] = release.version
        if release.formatted is not None:
            levels = formatting.features(release.formatted)
            found[f"kafka {line} features"] = ", ".join(f"{name}={level}" for name, level in levels.items())
    return found


@dataclass(frozen=True, slots=True)
class RealBrokers:
    """The kafka engine, ready for trials (`engines.BuiltEngine`)."""

    port: Kafka
    by_name: None = None
    """Real brokers have numbers here."""

    def describe(self) -> dict[str, str]:
        """Return the exact versions of the brokers, and the features that are final."""
        return description(self.port)

    def limit(self, options: Options, open_files: int, clients: int) -> Options:
        """Return the options with cohorts within the limit of open files and memory, and limit concurrent clusters.

        ExhaustedError if not one cell fits.
        """
        engine = self.port
        options, clusters = within_cohorts(options, open_files, clients, engine.at_once + engine.in_silence)
        engine.at_once = min(engine.at_once, clusters)
        engine.in_silence = clusters - engine.at_once
        return within_memory(options, MachineFiles().available_mb(), engine.at_once)

    def drain(self) -> Drain:
        """Return what runs the trials in cohorts."""
        return drain_in_cohorts(self.port)


def _release(line: str, version: str, report: Callable[[str], None]) -> Release:
    listed = real_brokers().get(line)
    known = listed if listed is not None and listed.version == version else _unlisted(version)
    found = fetch(known.jars, cache_root(), digests=broker_digests())
    release = Release(
        version=version,
        line=line,
        kraft=known.mode == "kraft",
        jars=[found[name] for name in known.jars],
        java=java(),
        options=known.java,
    )
    if release.kraft:
        release = replace(release, formatted=formatting.place(cache_root(), release))
        formatting.ensure(release)  # two seconds, once per version
    archive = place(cache_root(), release)
    if not archive.exists():
        report(f"Kafka {version}: archiving its classes once, so that it starts faster")
    return replace(release, archive=archive)


def _unlisted(version: str) -> Listed:
    """Describe an unlisted version by the jars that Maven resolves, once; digests are recorded at first use."""
    kept = cache_root() / "brokers" / f"{version}.json"
    generation = generation_of(version)
    if not kept.exists():
        jars = resolve(generation.roots(version))
        write_file(kept, json.dumps(jars))
    return Listed(version=version, mode=generation.mode, jars=generation.usable(json.loads(kept.read_text())))
