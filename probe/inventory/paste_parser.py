"""One client as people write or paste it: a line of a lock file, a package URL, a coordinate, an image, a name of ours.

`named` is what sheets, lists and look-ups share. In whatever surrounds it a package is found by its name in the table,
and its version by the word before it or as the first number behind the name. Pure but for the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from probe.catalogue.package_table import package_table
from probe.inventory.entries import Found, Place
from probe.inventory.images import in_image, is_image
from probe.inventory.packages import by_artifact, by_repository, client_of, ecosystem_of, known, release
from probe.inventory.purls import client_of_component
from probe.inventory.text import one_line
from probe.inventory.versions import exact, with_v
from probe.inventory.wire_names import client_on_the_wire, library_inside

SELECTED = ("path:", "jar:", "latest")
"""Beginnings of versions that select a build on this machine, or the newest release."""
UNVERSIONED = "it has no version; write one behind @, or into a column `version`"
PURL = re.compile(r"pkg:[^\s\"',;)\]]+")
REPORTED = re.compile(
    r"software_?name\W{1,4}(?P<name>[\w.-]+).{1,40}?software_?version\W{1,4}(?P<version>[\w.+-]+)",
    re.IGNORECASE | re.DOTALL,
)
"""A client's own name and version, in metrics of brokers and their request logs (KIP-511)."""
WORDED = re.compile(
    r"(?:\b(?:package)?version|\bresolved)\"?>?\s*[:=]?\s*[\"']?\s*(?:={2,3}\s*)?(?P<version>v?\d[\w.+~:-]*)",
    re.IGNORECASE,
)
"""A version with the word before it: `version = "2.0.2"`, `"resolved": "2.3.0"`, `<version>3.9.1`."""
BEHIND = re.compile(r"(?P<text>(?:(?:[\^~<>!]=?|\[)\s*)?v?\d[\w.+~:-]*|\*|latest\b|\$\{[^}]*\})")
"""The first number behind a name, with what makes it a range, or what stands in its place."""
ROW = re.compile(r"[,;|\t]\s*(?P<name>@?[A-Za-z][\w./-]*)\s*[,;|\t]\s*(?P<version>v?\d[\w.+-]*)(?=[,;|\t\s]|$)")
"""Neighbouring cells of a sheet."""
KEYED = re.compile(
    r"\bclient\"?\s*[:=]\s*\"(?P<name>[^\"]+)\"(?:.*?\bversion\"?\s*[:=]\s*\"(?P<version>[^\"]+)\")?", re.DOTALL
)
"""Keys of a fleet in TOML or JSON."""
GEM = re.compile(r"\s*(?P<name>[\w-]+) \((?P<version>\d[\w.]*)\)\s*")
FILE = re.compile(
    r"(?P<name>[A-Za-z][\w.-]*?)-(?P<version>\d[\w.+]*?)(?:-[\w.]+)*\.(?:jar|whl|tgz|tar\.gz|dist-info)(?:/.*)?"
)
"""The name of a file that holds a package."""
WHEEL = re.compile(r"[A-Za-z][\w.+-]*\.whl\b")
"""A wheel's file name, which alone says package and release (a tgz of npm lacks its scope)."""
SLASH: Mapping[str, str] = {"npm": r"(?!-/|\d)", "deb": r"(?!\w+[,\s])"}
"""Text that may stand behind a slash behind a name, so that it is no longer name."""
TAIL = re.compile(r"(?:/go\.mod|:|\.tgz|[:=]+(?:compile|runtime|provided|system|test|[a-z]\w*Classpath.*))$")
"""Text behind a version without a space: a line of go.sum, a scope of Maven, Gradle's configurations."""


def pasted(text: str, place: Place) -> tuple[Found, ...]:
    """Return the client that a text names; several if an image has several. Unknown ones have the reason."""
    plain = text.strip().removeprefix("- ").strip()
    return tuple(_explicit(plain, place)) or (named(plain, "", place),)


def _explicit(text: str, place: Place) -> Iterator[Found]:
    """Yield the client of a text in a form of its own; nothing for CLIENT@VERSION of the catalogue."""
    if url := PURL.search(text):
        found = client_of_component(url[0], "", "", place=place, service="")
        yield found if isinstance(found, Found) else _no_client(url[0], place)
    elif reported := REPORTED.search(text):
        yield client_on_the_wire(reported["name"], reported["version"], place=place)
    elif image := _image(text, place):
        yield from image
    elif package := _package_in(text, place):
        yield package
    elif cells := ROW.search(text) or KEYED.search(text):
        yield named(cells["name"], cells["version"] or "", place)


def _no_client(name: str, place: Place) -> Found:
    return Found(package=one_line(name), unknown="no Kafka client is known by this name", place=place)


def _image(text: str, place: Place) -> list[Found]:
    """Return the clients of the first image that a text names and the table of images has."""
    words = [word.strip("\"',") for word in text.split()]
    names = (name for name in words if "@" not in name.partition("@sha256:")[0] and is_image(name))
    return next(filter(None, (list(in_image(name, place=place)) for name in names)), [])


@cache
def _names() -> Mapping[str, tuple[str, str]]:
    """Return ecosystem and package by every way to write a package's name, the longest first."""
    found: dict[str, tuple[str, str]] = {}
    for row in package_table().packages:
        for name in row.names:
            found.setdefault(name, (row.ecosystem, name))
            group, colon, artifact = name.partition(":")
            if colon:
                found.setdefault(f"{group}/{artifact}", (row.ecosystem, name))
            elif row.ecosystem == "pypi":
                found.setdefault(name.replace("-", "_"), (row.ecosystem, name))
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


@cache
def _apart() -> Mapping[str, str]:
    """Return the Maven packages by their artifacts, which some formats write apart from the group."""
    rows = (name for row in package_table().packages if row.ecosystem == "maven" for name in row.names)
    return {name.partition(":")[2]: name for name in rows}


def _package_in(text: str, place: Place) -> Found | None:
    """Return the package that a text names with what surrounds it in a lock file or manifest; None if it has none."""
    if gem := GEM.fullmatch(text):
        ecosystem, name, rest = "gem", gem["name"], gem["version"]
    elif file := FILE.fullmatch(_file_in(text)):
        ecosystem, name, rest = ecosystem_of(by_artifact(file["name"])), by_artifact(file["name"]), file["version"]
    else:
        ecosystem, name, rest = _spelled(text)
    if not ecosystem or rest.lstrip("@").startswith(SELECTED):
        return None
    return _client(ecosystem, name, with_v(ecosystem, _version(ecosystem, rest)), place)


def _file_in(text: str) -> str:
    """Return the wheel that a line names, or the end of a path to a package; else the text."""
    if wheel := WHEEL.search(text):
        return wheel[0]
    return text.rpartition("/")[2] if text.endswith((".jar", ".tgz")) else text


def _client(ecosystem: str, name: str, version: str, place: Place) -> Found | None:
    """Return the client of a package of the table, also of one that only manages a client's version in builds."""
    row = known(ecosystem, name)
    if row is not None and row.manages:
        number, why = release(ecosystem, name, version)
        return Found(package=name, client=row.client, version=number, unknown=why, place=place)
    found = client_of(ecosystem, name, version, place=place)
    return found if isinstance(found, Found) else None


def _spelled(text: str) -> tuple[str, str, str]:
    """Return ecosystem and name of the package that a text spells, and what stands behind it; empty if none does."""
    for spelling, (ecosystem, name) in _names().items():
        before = {"npm": r"(?<![\w.@-])(?<!@\w/)", "golang": r"(?<![\w./-])"}.get(ecosystem, r"(?<![\w./@-])")
        after = rf"(?![\w-]|/{SLASH.get(ecosystem, '')}|\.\w*[A-Za-z])"
        if spelling in text and (found := re.search(rf"{before}{re.escape(spelling)}{after}", text)):
            return ecosystem, name, text[found.end() :]
    for artifact, name in _apart().items():
        group = name.partition(":")[0]
        apart = rf"{re.escape(group)}[^\w.]+(?:\w+[^\w.]+){{0,2}}{re.escape(artifact)}(?![\w.-])"
        if group in text and (found := re.search(apart, text)):
            return "maven", name, text[found.end() :]
    tag = re.search(r"<artifactId>([^<]+)</artifactId>", text)
    name = by_artifact(tag[1]) if tag else ""
    return ("maven", name, text[tag.end() :]) if tag and name != tag[1] else ("", "", "")


def _version(ecosystem: str, rest: str) -> str:
    """Return the version in what stands behind a package's name; empty if it has none."""
    worded, behind = WORDED.search(rest), BEHIND.search(_bare(rest))
    if worded and not (
        behind and behind.start() < worded.start() and "\n" not in rest and not _is_range(behind["text"])
    ):
        return TAIL.sub("", worded["version"])
    text = behind["text"].strip() if behind else ""
    number = TAIL.sub("", text)
    return number.partition(":")[0] if ecosystem == "maven" else number


def _bare(rest: str) -> str:
    """Return a text without what stands between a name and its version: extras, a type, a word of the ecosystem."""
    return re.sub(
        r"^(\[[^\]]*\])?[@:]?(npm:|[a-z-]+:(?=[\w.]*\d))?(amd64|arm64|all)?(/[a-z]\w*|/(?=\d))?[\"'\s:=]*", "", rest
    )


def _is_range(text: str) -> bool:
    return not exact("", text)[0]


def named(client: str, version: str, place: Place) -> Found:
    """Return the client of a name, with a version behind it or beside it.

    The name is one of the catalogue, or a package's, of which a repository or a Maven artifact is enough.
    """
    name, version = split(client, version)
    name = by_artifact(name) if not version.startswith(SELECTED) else name
    return (None if version.startswith(SELECTED) else _package(name, version, place)) or _own(name, version, place)


def _package(name: str, version: str, place: Place) -> Found | None:
    """Return the client of a package's name, such as github.com/IBM/sarama; None if it is none of the table's."""
    ecosystem = ecosystem_of(name)
    return _client(ecosystem, name, version, place) if ecosystem else None


def _own(name: str, version: str, place: Place) -> Found:
    """Return a client by its name in the catalogue, which need not have it."""
    number, why = ("", UNVERSIONED)
    if version:
        number, why = (version, "") if version.startswith(SELECTED) else exact("", version)
    return Found(package=name, client=name.lower(), version=number, unknown=why, place=place)


def split(client: str, version: str) -> tuple[str, str]:
    """Return name and version of a client; a version in the name counts before one beside it."""
    name, at, own = _scoped(client) if client.startswith("@") else client.rpartition("@")
    if not at or not name:
        name, own = client, ""
    if not own and not version:
        name, own = _by_space(name)
    name = by_repository(name)
    if core := library_inside(own or version):
        return "librdkafka", core
    version = own or version  # a column `version` beside it may be that of the service
    ecosystem = ecosystem_of(name)
    return name, with_v(ecosystem, version) if ecosystem == "golang" else version.removeprefix("v")


def _by_space(text: str) -> tuple[str, str]:
    """Split `filebeat 8.16.1`, `telegraf:1.29.5` and `filebeat==8.16.1`, whose names are the catalogue's."""
    found = re.fullmatch(r"([A-Za-z][\w.+/-]*?)(?:\s+|\s*={1,3}\s*|:)(v?\d\S{0,60})", text)
    return (found[1], found[2]) if found else (text, "")


def _scoped(client: str) -> tuple[str, str, str]:
    """Split a scoped npm name, which begins with @: `@confluentinc/kafka-javascript@1.0.0`."""
    name, at, version = client[1:].partition("@")
    return f"@{name}", at, version
