"""Packages under which registries serve clients, their package URLs, and the versions that contain a client.

packages.toml is a list of `[[package]]` with `ecosystem` (the type of a package URL), `names` and `client` (a family,
or a wrapper in whose versions a family is contained).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from probe.catalogue.apps import App
from probe.catalogue.families import CatalogueError, Family
from probe.model import Client
from probe.model.versions import version_key

GOLANG = "golang"


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

    def purls(self, client: Client) -> list[str]:
        """Return the package URLs of a client's own packages; of a module that moved, that of its name at the time."""
        family = self.families.get(client.family)
        moved = family.source if family and family.source.old_name else None
        wrong = ""
        if moved is not None:
            is_old = version_key(client.version) <= version_key(moved.old_until)
            wrong = moved.name if is_old else moved.old_name
        return [
            package.purl(version)
            for package, versions in self.containing(client)
            for version in versions
            if package.name != wrong
        ]

    def is_own(self, package: Package) -> bool:
        """Return whether a package is a library's own, with the library's versions."""
        return package.client in self.families

    def _versions(self, package: Package, client: Client) -> list[str]:
        family = self.families.get(client.family)
        if package.client == client.family:
            found = family.find(client.version) if family else None
            return [found.pinned_artifact if found else client.version]
        app = self.apps.get(package.client)
        if app is None or app.family != client.family or app.kind != "wrapper":
            return []
        ends = (end for item in app.versions if item.library == client.version for end in (item.since, item.last))
        return list(dict.fromkeys(ends))


def read_packages(path: Path, families: Mapping[str, Family], apps: Mapping[str, App]) -> Packages:
    """Read packages.toml. CatalogueError with the file and the problem."""
    try:
        rows = tomllib.loads(path.read_text())["package"]
        listed = [Package(row["ecosystem"], name, row["client"]) for row in rows for name in row["names"]]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CatalogueError(f"{path}: {error}; correct the file") from None
    return Packages(tuple(listed), families, apps)
