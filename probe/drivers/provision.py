"""Provisioning: from a family's client.toml to the command that starts a driver of one version."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Protocol, cast

from probe.catalogue.families import CatalogueError, Family, Version
from probe.catalogue.selectors import LOCAL
from probe.drivers.launch import Launch
from probe.errors import ProvisionError
from probe.toolchain.tools import ToolError, cache_root

SOURCES: Mapping[str, str] = {
    "module": "probe.drivers.sources.module",
    "wheel": "probe.drivers.sources.wheel",
    "jar": "probe.drivers.sources.jar",
    "npm": "probe.drivers.sources.npm",
    "crate": "probe.drivers.sources.crate",
    "program": "probe.drivers.sources.program",
    "exec": "probe.drivers.sources.lines_program",
}
"""Modules by kind of source. Each is imported when first needed, so that machines need no Go, Java or Node for
others."""

LOG = logging.getLogger(__name__)


class Source(Protocol):
    """Interface of the modules of probe.drivers.sources. Each function raises ProvisionError."""

    def obtain(self, family: Family, version: Version, cache: Path) -> Launch:
        """Return the command of this version's driver; download or build it if it is not in the cache."""

    def newest(self, family: Family) -> str:
        """Return the newest artifact version at the registry."""

    def exists(self, family: Family, artifact: str) -> bool:
        """Return whether the registry has this version."""


Provisioned = Launch | ProvisionError
Wanted = tuple[Family, Version]


def provision(family: Family, version: Version, cache: Path | None = None) -> Launch:
    """Return the command of a client version's driver. Raises ProvisionError if it cannot be obtained."""
    try:
        return _source(family).obtain(family, version, cache or cache_root())
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family} {version.version}: {error}") from None


def resolve(
    family: Family, text: str, cache: Path | None = None, *, note: Callable[[str], None] = LOG.warning
) -> Version:
    """Return the version that `latest`, a version, or `path:PLACE` (a checkout or a build) stands for.

    `latest` falls back to the newest pinned version if the registry does not answer, and reports that by `note`.
    Raises CatalogueError if there is no such version, ProvisionError if it cannot be looked up or loaded.
    """
    if text.startswith(LOCAL):
        return _local(family, text)
    if text != "latest":
        return _pinned(family, text) or _unlisted(family, text, cache)
    try:
        artifact = _newest(family)
    except ProvisionError as error:
        note(f"{family.family}@latest is taken as {family.newest.version}, the newest pinned: {error}")
        return family.newest
    return _pinned_artifact(family, artifact) or _identify(family, artifact, cache)


def releases(family: Family, after: str, before: str) -> list[str]:
    """Return the artifact versions of the registry: all that it lists, and others between two versions.

    Raises ProvisionError if it does not answer.
    """
    source = _source(family)
    listed, unlisted = getattr(source, "releases", None), getattr(source, "unlisted", None)
    if listed is None and unlisted is None:
        raise ProvisionError(f"{family.family}: sources of kind {family.source.kind} cannot be listed")
    try:
        found = cast("list[str]", listed(family)) if listed else []
        return list(dict.fromkeys([*found, *(unlisted(family, after, before) if unlisted else ())]))
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family}: {error}") from None


def provision_all(
    wanted: Sequence[Wanted],
    jobs: int = 4,
    cache: Path | None = None,
    *,
    report: Callable[[Family, Version, Provisioned], None] = lambda *_: None,
) -> dict[tuple[str, str], Provisioned]:
    """Provision many versions, `jobs` at a time; return the results by family and version.

    The callback is called in the calling thread as each ends. A failure is a result, not an exception.
    """
    outcomes: dict[tuple[str, str], Provisioned] = {}
    pool = ThreadPoolExecutor(max_workers=max(jobs, 1))
    try:
        running = {pool.submit(_outcome, family, version, cache): (family, version) for family, version in wanted}
        for done in as_completed(running):
            family, version = running[done]
            outcomes[family.family, version.version] = done.result()
            report(family, version, done.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # a signal must not wait for a build
    return outcomes


def _outcome(family: Family, version: Version, cache: Path | None) -> Provisioned:
    try:
        return provision(family, version, cache)
    except ProvisionError as error:
        return error


def _local(family: Family, text: str) -> Version:
    local = getattr(_source(family), "local", None)
    if local is None:
        raise CatalogueError(f"{family.family}@{text}: this family has no way to run a checkout; name a version")
    try:
        return cast("Version", local(family, Path(text.partition(":")[2]).expanduser()))
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family}@{text}: {error}") from None


def _unlisted(family: Family, text: str, cache: Path | None) -> Version:
    try:
        known = _source(family).exists(family, text)
    except ToolError as error:
        raise ProvisionError(f"{family.family}@{text}: {error}") from None
    if not known:
        pinned = ", ".join(item.version for item in family.versions)
        name = f"{family.source.name} {text}"
        raise CatalogueError(f"{family.family}@{text}: the registry has no {name}; pinned are {pinned}, or use latest")
    return _identify(family, text, cache)


def _identify(family: Family, artifact: str, cache: Path | None) -> Version:
    """Return the library's own version if the source can find it out, else the artifact's."""
    identify = getattr(_source(family), "identify", None)
    if identify is None:
        return Version(version=artifact)
    return cast("Version", identify(family, artifact, cache or cache_root()))


def _newest(family: Family) -> str:
    try:
        return _source(family).newest(family)
    except (ToolError, OSError) as error:
        raise ProvisionError(str(error)) from None


def _pinned(family: Family, text: str) -> Version | None:
    return family.find(text) or _pinned_artifact(family, text)


def _pinned_artifact(family: Family, artifact: str) -> Version | None:
    return next((item for item in family.versions if item.pinned_artifact == artifact), None)


def _source(family: Family) -> Source:
    module = SOURCES.get(family.source.kind)
    if module is None:
        raise ProvisionError(f"{family.family}: sources of kind {family.source.kind} are not built in")
    return cast("Source", importlib.import_module(module))
