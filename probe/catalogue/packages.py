"""Packages under which registries serve clients, their package URLs, and the versions that contain a client.

Of the table of packages those are left out that only name another one (`inside`), that decide the version of another
one (`manages`), and those of distributions, whose versions are their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from probe.catalogue.families import Family
from probe.catalogue.package_table import PackageRow
from probe.model import Client
from probe.model.versions import version_key

if TYPE_CHECKING:
    from probe.catalogue.apps import App

GOLANG = "golang"
DISTRIBUTIONS = frozenset({"deb"})


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a registry."""

    ecosystem: str
    """Type of its package URL."""
    name: str
    client: str
    """The family, or the wrapper around one."""

    def purl(self, version: str = "") -> str:
        """Return its package URL (https://github.com/package-url/purl-spec), with the version if there is one."""
        separator = ":" if self.ecosystem == "maven" else "/"
        path = "/".join(quote(part, safe="") for part in self.name.split(separator))
        prefix = "v" if self.ecosystem == GOLANG else ""
        return f"pkg:{self.ecosystem}/{path}" + (f"@{prefix}{quote(version, safe='')}" if version else "")

    def has(self, version: str) -> bool:
        """Return whether a version can be one of this name: of a Go module, the name ends with its major version."""
        if self.ecosystem != GOLANG:
            return True
        suffix = re.search(r"/v(\d+)$", self.name)
        major = version.partition(".")[0]
        return major == suffix[1] if suffix else major in {"0", "1"}


@dataclass(frozen=True, slots=True)
class Packages:
    """All packages, with the families and applications that they contain."""

    listed: Sequence[Package]
    families: Mapping[str, Family]
    apps: Mapping[str, App]

    def containing(self, client: Client) -> Iterator[tuple[Package, tuple[str, ...]]]:
        """Yield each package that contains a client, with the versions that do.

        Of a library's own packages there is one version, for each of its names. Of wrappers there may be several.
        """
        for package in self.listed:
            versions = [version for version in self._versions(package, client) if package.has(version)]
            if versions:
                yield package, tuple(versions)

    def purls(self, named: Client, library: Client) -> list[str]:
        """Return the package URLs of what an inventory names, if it is a package, else of the library inside it.

        Of a module that moved it is the URL of its name at the time.
        """
        app = self.apps.get(named.family)
        known = [item for item in self.listed if item.client == named.family or (app and self._app(item) is app)]
        if named.family not in self.families and known:
            return [item.purl(named.version) for item in known if item.has(named.version)]
        own = [(item, self._artifact(item, library)) for item in self.listed if item.client == library.family]
        return [item.purl(version) for item, version in own if item.has(version) and self._is_its_time(item, version)]

    def is_own(self, package: Package) -> bool:
        """Return whether a package is a library's own, with the library's versions."""
        return package.client in self.families

    def _app(self, package: Package) -> App | None:
        return self.apps.get(package.client)

    def _is_its_time(self, package: Package, version: str) -> bool:
        source = self.families[package.client].source
        if not source.old_name:
            return True
        is_old = version_key(version) <= version_key(source.old_until)
        return package.name != (source.name if is_old else source.old_name)

    def _artifact(self, package: Package, library: Client) -> str:
        """Return the version of a library's own package; the family's source may have other numbers."""
        family = self.families[library.family]
        found = family.find(library.version) if package.name == family.source.name else None
        return found.pinned_artifact if found else library.version

    def _versions(self, package: Package, client: Client) -> list[str]:
        if package.client == client.family:
            return [self._artifact(package, client)]
        app = self._app(package)
        if app is None or app.family != client.family or app.kind != "wrapper":
            return []
        ends = (end for item in app.versions if item.library == client.version for end in (item.since, item.last))
        return list(dict.fromkeys(ends))


def packages_of(rows: Iterable[PackageRow], families: Mapping[str, Family], apps: Mapping[str, App]) -> Packages:
    """Return the packages that contain a client."""
    named = (Package(row.ecosystem, name, row.client) for row in rows if _has_client(row) for name in row.names)
    return Packages(tuple(named), families, apps)


def _has_client(row: PackageRow) -> bool:
    return bool(row.client) and not (row.inside or row.manages or row.ecosystem in DISTRIBUTIONS)
