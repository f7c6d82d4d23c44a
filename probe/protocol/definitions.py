"""Read Kafka's own message definitions, one at a time.

They are the files `common/message/*.json` of a kafka-clients jar (2.3 and later). The format is described in Kafka's
`clients/src/main/resources/common/message/README.md`.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probe.model.lazy_attribute import lazy
from probe.protocol.names import API_NAMES

REQUEST, RESPONSE = "Request", "Response"
KINDS = (REQUEST, RESPONSE)
FOLDER, SUFFIX = "common/message/", ".json"
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
"""A comment of a definition stands on a line of its own."""
_OLD_FILES = {74: "ListClientMetricsResources"}


class DefinitionsError(ValueError):
    """A jar cannot be read, or has no such definition. The text is one line."""


@dataclass(frozen=True, slots=True)
class Versions:
    """A range such as `0-3`, `4+`, `5` or `none`."""

    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> Versions:
        """Parse Kafka's notation. Raises ValueError."""
        if text == "none":
            return NO_VERSIONS
        if text.endswith("+"):
            return cls(int(text[:-1]), 1 << 15)
        low, _, high = text.partition("-")
        return cls(int(low), int(high or low))

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high


NO_VERSIONS = Versions(0, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a message, for all its versions."""

    name: str
    type: str
    """Element type for arrays. `struct` where `fields` define the content."""
    array: bool
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A request or a response."""

    api: int
    kind: str
    valid: Versions
    flexible: Versions
    unstable: bool
    """The highest version is not final yet (`latestVersionUnstable`)."""
    listeners: tuple[str, ...]
    fields: tuple[Field, ...]

    @property
    def final(self) -> Versions:
        """The versions that are final."""
        return Versions(self.valid.low, self.valid.high - 1) if self.unstable else self.valid


class Jar:
    """The definitions of one kafka-clients jar. Their texts are read on first use and parsed one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._parsed: dict[str, Message] = {}

    def message(self, api: int, kind: str) -> Message | None:
        """Return the definition, None if this jar has none. Raises DefinitionsError."""
        for name in (API_NAMES.get(api), _OLD_FILES.get(api)):
            if name and f"{name}{kind}" in self.texts:
                return self._parse(f"{name}{kind}")
        return None

    def messages(self, kind: str) -> list[Message]:
        """Return all definitions of one kind, by API key. Raises DefinitionsError."""
        found = (self._parse(name) for name in self.texts if name.endswith(kind))
        return sorted(found, key=lambda message: message.api)

    def ranges(self, listener: str = "broker") -> dict[int, tuple[int, int]]:
        """Return {API key: (lowest, highest final version)} of this line's clients and brokers.

        `listener` keeps only APIs of that listener. Jars whose definitions name no listeners (before 3.0) return all
        APIs. Brokers of 4.x still announce Produce from version 0 (KAFKA-18659). Raises DefinitionsError.
        """
        return {
            message.api: (message.final.low, message.final.high)
            for message in self.messages(REQUEST)
            if message.final.low <= message.final.high and (not message.listeners or listener in message.listeners)
        }

    def _parse(self, name: str) -> Message:
        if name not in self._parsed:
            self._parsed[name] = parse(self.texts[name].decode(), f"{name} of {self.path.name}")
        return self._parsed[name]

    @lazy
    def texts(self) -> dict[str, bytes]:
        """Return requests and responses by name.

        They take about a megabyte; opening the jar again would take longer.
        """
        try:
            with zipfile.ZipFile(self.path) as jar:
                texts = {
                    name[len(FOLDER) : -len(SUFFIX)]: jar.read(name)
                    for name in jar.namelist()
                    if name.startswith(FOLDER) and name.endswith(tuple(kind + SUFFIX for kind in KINDS))
                }
        except (OSError, zipfile.BadZipFile, zlib.error) as error:
            raise DefinitionsError(f"cannot read {self.path}: {error}; remove it and run set-up again") from error
        if not texts:
            raise DefinitionsError(f"{self.path.name} holds no message definitions: use kafka-clients 2.3 or newer")
        return texts


def parse(text: str, where: str = "definition") -> Message:
    """Parse one definition, a JSON text with `//` comments on separate lines. Raises DefinitionsError."""
    try:
        data = json.loads(re.sub(COMMENT, "", text))
        structs: dict[str, list[dict[str, Any]]] = {s["name"]: s["fields"] for s in data.get("commonStructs", [])}
        _collect(data.get("fields", []), structs)
        return Message(
            api=data["apiKey"],
            kind=data["type"].capitalize(),
            valid=Versions.parse(data["validVersions"]),
            flexible=Versions.parse(data.get("flexibleVersions", "none")),
            unstable=data.get("latestVersionUnstable", False),
            listeners=tuple(data.get("listeners", ())),
            fields=tuple(_field(item, structs) for item in data.get("fields", [])),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DefinitionsError(f"{where} is not a message definition: {error!r}") from error


def _collect(fields: list[dict[str, Any]], structs: dict[str, list[dict[str, Any]]]) -> None:
    """Collect the structs that are defined at their first use. Their names are global to the message."""
    for item in fields:
        if "fields" in item:
            structs[_element(item["type"])] = item["fields"]
            _collect(item["fields"], structs)


def _element(kind: str) -> str:
    return kind.removeprefix("[]")


def _field(item: Mapping[str, Any], structs: Mapping[str, list[dict[str, Any]]]) -> Field:
    kind = _element(item["type"])
    tagged = Versions.parse(item.get("taggedVersions", "none"))
    versions = Versions.parse(item["versions"]) if "versions" in item else tagged
    return Field(
        name=item["name"],
        type="struct" if kind in structs else kind,
        array=item["type"].startswith("[]"),
        versions=versions,
        nullable=Versions.parse(item.get("nullableVersions", "none")),
        tagged=tagged,
        tag=item.get("tag", -1),
        fields=tuple(_field(inner, structs) for inner in structs.get(kind, ())),
    )
