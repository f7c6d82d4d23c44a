"""Names of container images, and the applications that are known to be inside them (`data/images.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from probe.inventory.entries import Found, Place
from probe.inventory.text import one_line
from probe.model.versions import version_key

TABLE = Path(__file__).resolve().parent / "data" / "images.toml"
NAME = (
    r"(?:docker(?:-pullable)?://)?(?P<path>[a-z0-9][\w.-]*(?::\d+(?=/))?(?:/[a-z0-9][\w.-]*)*)(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?P<digest>@sha256:[0-9a-f]{64})?"
)
"""An image: https://github.com/distribution/reference. Docker reports those of Kubernetes with a scheme."""
TAG = (
    r"v?(?P<version>\d+\.\d+\.\d+(?:\.(?:Final|RELEASE))?)"
    r"(?:-(?:alpine|slim|ubi\d*|debian|distroless|wolfi|oss|linux|nonroot|amd64|arm64|x86_64|aarch64|r?\d+(?:\.\d+)*))*"
)
"""A release, with words for the system below it. `latest`, `1.31` and `2.0.0-rc1` name none."""


@dataclass(frozen=True, slots=True)
class Inside:
    """An application, in some of the image's versions."""

    client: str
    """Family or application of the catalogue."""
    since: str = ""
    before: str = ""

    def fits(self, version: str) -> bool:
        """Return whether it is inside a version of the image."""
        key = version_key(version)
        return (not self.since or key >= version_key(self.since)) and (
            not self.before or key < version_key(self.before)
        )


@dataclass(frozen=True, slots=True)
class Image:
    """An image that is known."""

    clients: Sequence[Inside]
    tag: re.Pattern[str]
    """The form of a tag that names a release, with the group `version`."""
    why: str = ""
    """Why its tags say nothing about the client."""
    note: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The client's version by the tag's, where they differ; of other tags it is unknown. Empty = they are the same."""


@cache
def images() -> dict[tuple[str, ...], Image]:
    """Return the table, by the last parts of an image's path."""
    found: dict[tuple[str, ...], Image] = {}
    rows: list[dict[str, Any]] = tomllib.loads(TABLE.read_text())["image"]
    for row in rows:
        inside = tuple(Inside(**item) for item in row["clients"])
        tag = re.compile(row.get("tag", TAG))
        image = Image(inside, tag, row.get("why", ""), row.get("note", ""), row.get("versions", {}))
        found |= {tuple(path.split("/")): image for path in row["paths"]}
    return found


def in_image(name: str, *, place: Place, service: str = "", count: int = 1) -> Iterator[Found]:
    """Yield the clients in an image by its name; none if no application of it is known."""
    parsed = re.fullmatch(NAME, name)
    if parsed is None:
        return
    parts = tuple(parsed["path"].split("/"))
    image = next((images()[parts[-most:]] for most in (2, 1) if parts[-most:] in images()), None)
    if image is None:
        return
    version, why = _version(image, parsed["tag"] or "")
    for inside in (item for item in image.clients if item.fits(version)) if version else image.clients[:1]:
        yield Found(
            service=one_line(service),
            package=one_line(name.partition("@")[0]),
            client=inside.client,
            version=version,
            unknown=why,
            count=count,
            place=place,
            note=image.note,
        )


def _version(image: Image, tag: str) -> tuple[str, str]:
    if image.why:
        return "", image.why
    found = image.tag.fullmatch(tag)
    if found is None:
        return "", one_line(f"the tag {tag} names no release" if tag else "the image is named without a tag")
    version = "-".join(filter(None, (found["version"], found.groupdict().get("build"))))
    if image.versions and version not in image.versions:
        return "", one_line(f"which library is inside {tag} is not known")
    return image.versions.get(version, version), ""


def is_image(text: str) -> bool:
    """Return whether a text can be an image's name: with a tag that is no port, or a digest."""
    found = re.fullmatch(NAME, text)
    if found is None or (found["tag"] is None and found["digest"] is None):
        return False
    return "/" in found["path"] or found["digest"] is not None or not (found["tag"] or "").isdecimal()
