"""The common part of drivers that are compiled with each version of their library."""

from __future__ import annotations

from probe.catalogue.families import Family, Version
from probe.errors import ProvisionError
from probe.model.versions import version_key

LOCAL = "path:"
"""Prefix of an artifact that is a checkout on this machine."""


def tags_of(family: Family, version: Version) -> list[str]:
    """Return the tags (Go) or features (Rust) of this version; other sources compile with every version."""
    key = version_key(version.version)
    return sorted([*version.tags, *(tag for tag, since in family.source.tags.items() if key >= version_key(since))])


def check_digest(family: Family, version: Version, digest: str) -> None:
    """Compare what the registry served with what client.toml pins. Raises ProvisionError if they differ."""
    if version.digest and version.digest != digest:
        raise ProvisionError(
            f"{family.family} {version.version}: the registry served {digest}, but client.toml pins {version.digest};"
            " do not use it unless you know why it changed"
        )
