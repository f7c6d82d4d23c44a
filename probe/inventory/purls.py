"""Clients in bills of materials, by package URL (https://github.com/package-url/purl-spec) or by name."""

from __future__ import annotations

from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, ecosystem_of, mentions
from probe.inventory.versions import with_v

JOINED = {"maven": ":", "golang": "/", "npm": "/", "composer": "/"}
"""The character between a namespace and a name; in other ecosystems a namespace is no part of the name."""


def can_name_one(whole: str) -> bool:
    """Return whether a bill of materials can name a client at all, so that one without any is not parsed."""
    return any(mentions(whole, ecosystem) for ecosystem in ("golang", "deb", "npm"))


def client_of_component(address: str, name: str, version: str, *, place: Place, service: str) -> Found | Skipped | None:
    """Return the client of a component: by its package URL, or by its name if it has none."""
    if not mentions(address or name, "golang"):
        return None
    if not address:
        ecosystem = ecosystem_of(name)
        return client_of(ecosystem, name, with_v(ecosystem, version), place=place, service=service)
    from packageurl import PackageURL  # noqa: PLC0415  # of these formats alone

    try:
        purl = PackageURL.from_string(address)
    except ValueError:
        return Skipped(str(place), "its purl is no package URL")
    commit = isinstance(purl.qualifiers, dict) and "vcs_url" in purl.qualifiers
    return client_of(
        purl.type,
        _name(purl.type, purl.namespace, purl.name, purl.subpath),
        with_v(purl.type, purl.version or version),
        place=place,
        service=service,
        unknown=came_from(Origin.COMMIT, says=purl.version or version) if commit else "",
    )


def _name(kind: str, namespace: str | None, name: str, subpath: str | None) -> str:
    whole = f"{namespace}{JOINED[kind]}{name}" if namespace and kind in JOINED else name
    return f"{whole}/{subpath}" if subpath and kind == "golang" else whole
