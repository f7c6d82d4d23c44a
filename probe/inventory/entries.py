"""The values that inventories are read into. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.errors import ProbeError
from probe.inventory.text import one_line
from probe.model import Role

STANDARD_INPUT = "standard input"


class InventoryError(ProbeError):
    """An inventory, or an entry of one, that cannot be read. The text is one line."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a client in an inventory. Its texts are one line, as those of `Found`."""

    file: str
    """Path as the user knows it; `STANDARD_INPUT`."""
    line: int = 0
    """From 1 on; 0 = not known."""
    entry: str = ""
    """Its name in a file without lines that count: `component sarama`, `entry 3`, a file inside a jar."""

    @property
    def spot(self) -> str:
        """Return the line or entry as text; empty for a file as a whole."""
        return f"line {self.line}" if self.line else self.entry

    @property
    def is_file(self) -> bool:
        """Whether the file can be opened by its path."""
        return self.file != STANDARD_INPUT

    def __str__(self) -> str:
        """Return it as people read it: `orders/go.mod, line 7`."""
        return f"{self.file}, {self.spot}" if self.spot else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One client that an inventory names. All texts are one line, as `probe.inventory.text.one_line` returns them."""

    service: str = ""
    """Name of the service; empty = the inventory names none."""
    package: str
    """Name as the file says: `github.com/IBM/sarama`, `org.apache.kafka:kafka-clients`, a name of ours."""
    ecosystem: str = ""
    """Type of the package's URL (`golang`, `pypi`, `maven`, `npm`); empty = the name is no package's."""
    replaces: str = ""
    """Name of the package of the table in whose place it is built; empty = none."""
    client: str = ""
    """Family or application of the catalogue; empty = none that is known."""
    version: str = ""
    """Version of the package, without the `v` of Go and npm; empty = not known."""
    unknown: str = ""
    """The reason why client or version are not known; empty if both are."""
    broken: str = ""
    """The reason why the client cannot work at all, by what else the inventory lists."""
    role: Role | None = None
    """None = every role of the client."""
    profile: str = ""
    """Empty = the usual one, or that of the scenario."""
    properties: tuple[str, ...] = ()
    """KEY=VALUE."""
    count: int = 1
    """Running instances, connections, or 1."""
    place: Place
    note: str = ""
    """A gap of the data, or the thing that stands behind the version: a replacement, a commit."""

    @property
    def selector(self) -> str:
        """Return the client as `--client` takes it, such as `sarama@1.43.2`; empty if it is not known."""
        return f"{self.client}@{self.version}" if self.client and self.version else ""

    @property
    def name(self) -> str:
        """Return the name of the service, or of the client where the inventory names no service."""
        return self.service or self.shown

    @property
    def shown(self) -> str:
        """Return the client as people read it."""
        return self.selector or (f"{self.package}@{self.version}" if self.version else self.package)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out. Both texts are kept as one visible line."""

    what: str
    why: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", one_line(self.what))
        object.__setattr__(self, "why", one_line(self.why))

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """Entries of one file, or the part of one folder that was left out."""

    place: str
    """Path as the user knows it; `STANDARD_INPUT`."""
    taken_for: str = ""
    """Title of its format; empty if it has none that is known, or for a folder."""
    found: Sequence[Found] = ()
    skipped: Sequence[Skipped] = ()
    problem: str = ""
    """Why it could not be read; empty if it was read."""
    unread: Sequence[str] = ()
    """Of a folder: the files that look like manifests and have no format that is known, by their paths below it."""
    named: bool = True
    """Whether the user named it. What a walk of a folder cannot read changes no exit code."""
