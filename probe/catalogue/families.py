"""Reads clients/<family>/client.toml: versions, roles and profiles of a client, and how each is obtained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from probe.catalogue.lazy_tables import LateEntries
from probe.catalogue.toml_file import read_toml
from probe.errors import CatalogueError as CatalogueError  # noqa: PLC0414  # its readers raise it
from probe.model import Client, OwnLimit, Role, Workload
from probe.model.profile import READ_COMMITTED
from probe.model.security import NAMES
from probe.model.versions import line_of, version_key


def is_local(version: str) -> bool:
    """Return whether a version is a local build, which cannot be recommended as an upgrade."""
    return "+local." in version


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Span(_Strict):
    """A span of versions, both ends included; None = no bound."""

    since: str | None = None
    until: str | None = None
    reason: str = ""
    """Why other versions are excluded."""

    def covers(self, version: str) -> bool:
        """Return whether a version lies within."""
        key = version_key(version)
        if self.since is not None and key < version_key(self.since):
            return False
        return self.until is None or key <= version_key(self.until)


class Limit(Span):
    """A number with its source, for a span of versions."""

    value: int
    source: str
    """Source of the number: file of the client at a version, or documentation page."""


class SecuritySpan(Span):
    """Versions that can use a kind of security, as the driver sets it."""

    source: str
    """Source of what the library has: file of a version, or documentation page."""


class RackSpan(Span):
    """Versions whose readers say in which rack they are (KIP-392)."""

    setting: str
    """The library's own key, as `--property` takes it."""
    source: str
    """Source of what the library has: file of a version, or documentation page."""


class Version(_Strict):
    """One pinned version."""

    version: str
    """The version that the library reports."""
    artifact: str = ""
    """Version of the artifact, where that differs."""
    released: str = ""
    """ISO date."""
    digest: str = ""
    """`sha256:...` of the wheel or jar, `h1:...` of the Go module, `sha512-...` of the npm package, as in lock files;
    empty = recorded on first use."""
    extra: tuple[str, ...] = ()
    """Further artifacts that only this version needs, in the form of the source's `extra`."""
    tags: tuple[str, ...] = ()
    """Of Go: build tags that only this version needs."""
    library: Client | None = None
    """Of an application or a wrapper: the client library inside it, as `{ family = "sarama", version = "1.29.1" }`."""

    @property
    def pinned_artifact(self) -> str:
        """Return the artifact's own version."""
        return self.artifact or self.version


class PythonSpan(Span):
    """Artifact versions whose newest wheel is built for another CPython than that of the probe.

    Such a wheel is only unpacked; the driver can use its contents, except the extension module.
    """

    python: str = Field(pattern=r"^\d{2,3}$")
    """The CPython of the wheel, as in its tag without `cp`."""


class NodeSpan(Span):
    """Versions of an npm package that need a newer Node than the driver; `reason` says where they state it."""

    least: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    """The oldest Node that they run on."""
    packages: tuple[str, ...] = ()
    """npm packages with a Node for machines whose own is older, in the form of `extra`: one per processor."""


class NpmBuild(_Strict):
    """The build of an npm package with compiled code, from the sources that it brings."""

    scripts: tuple[str, ...] = Field(min_length=1)
    """Scripts of its package.json, in this order."""
    env: Mapping[str, str] = {}
    tools: tuple[str, ...]
    """Programs of this machine that they need."""
    keep: tuple[str, ...] = Field(min_length=1)
    """The files that run, as patterns of paths in the package. The rest, sources and objects, is removed."""


class Source(_Strict):
    """The way to obtain a version."""

    kind: Literal["module", "wheel", "jar", "npm", "crate", "program", "exec"]
    name: str
    """Module path, PyPI name, `group:artifact`, npm name, crate; of a program, its command and its distribution's
    package."""
    library: str = ""
    """Of a program: PyPI name of the wheel with the shared library that it runs with."""
    old_name: str = ""
    """Module path before the project moved."""
    old_until: str = ""
    """Last version under the old name."""
    extra: tuple[str, ...] = ()
    """Further artifacts that are needed (`group:artifact:version`, `name==version`; npm, crates: with digests)."""
    inside: tuple[str, ...] = ()
    """Of npm: what the library itself depends on, in the form of `extra`. It lies in the folder of every version."""
    nodes: tuple[NodeSpan, ...] = ()
    """Of npm: the first span that covers the version decides; by default any Node that the driver runs on."""
    build: NpmBuild | None = None
    """Of npm: for a package with compiled code."""
    pythons: tuple[PythonSpan, ...] = ()
    """Of wheels: the first span that covers the artifact's version decides; by default the probe's own CPython."""
    tags: Mapping[str, str] = {}
    """Go build tags, or features of a Rust driver, each with the first library version that its sources compile
    with."""
    builds_on: str = ""
    """Of jars of an application: the family whose driver is compiled first and lies on the class path, too, with its
    `extra`. The application's own driver is compiled per version, against that version's jars: its `extra`, or what
    Maven resolves for an unlisted version and the source's `extra`, in which {version} stands for it."""
    main: str = "probe.driver.Driver"
    """Of jars: the class that is started."""
    needs: tuple[str, ...] = ()
    """Of crates: programs that a build of C code needs, which a machine may lack."""
    own_replacements: bool = False
    """Of modules: the driver is built with the replacements of the library's go.mod, which else hold for the library's
    own programs only."""
    cgo: bool = False
    """Of modules: the library is C inside, so the driver is built with a C compiler, which a machine may lack."""


class UnsentRequest(Span):
    """A request that the driver never makes a library send in these versions; `reason` says why."""

    role: str
    api: int
    """API key of the request."""


class OwnLimitSource(Limit):
    """A limit of the library's own by default, in milliseconds, that may rescue a client which stands still."""

    limit: OwnLimit
    roles: tuple[str, ...] = ()
    """The roles that have it; empty = all."""


class KeptBroker(Span):
    """Versions that stay with a broker whatever Metadata says; `reason` is the source line."""

    role: str
    scenarios: tuple[str, ...]


class Behaviour(_Strict):
    """Known behaviour of the library; in each list the first span that covers the version applies."""

    back_off_ms: tuple[Limit, ...]
    min_discovery_age_ms: tuple[Limit, ...] = ()
    acks_one: Span | None = None
    """Versions whose producers write with acks=1 by default; the reason is the source."""
    acks_none: Span | None = None
    """Versions whose producers ask for no acknowledgement by default, which only profile `defaults` leaves so: every
    other profile of the driver asks for all; the reason is the source."""
    unasked: tuple[UnsentRequest, ...] = ()
    """Requests that never occur; cells with faults of these APIs are skipped."""
    old_requests: Span | None = None
    """Versions that know Produce below 3 or Fetch below 4 only; the reason names them. The embedded engine serves
    neither, as brokers from 4.0 on (KIP-896); on older lines only real brokers do."""
    own_limits: tuple[OwnLimitSource, ...] = ()
    """Limits after which the library does something else by itself (docs/verdicts.md#to-the-end)."""
    keeps_broker: tuple[KeptBroker, ...] = ()
    """Versions and roles that no refresh rescues."""
    name_cache_ms: tuple[Limit, ...] = ()
    """Time for which the runtime keeps the addresses of a name, by default; none = it keeps them not at all."""
    names_node: Span | None = None
    """Versions that say in ApiVersions which cluster and node they mean; the reason is the source. No other can be
    answered REBOOTSTRAP_REQUIRED there (KIP-1242)."""


class Family(_Strict):
    """A client library, a wrapper or an application in all its versions."""

    family: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    language: str = ""
    """Language of the programs that use it, as people write it; empty = an application, which no program uses."""
    about: str
    driver: str
    """Command of the driver relative to the family's folder, or the Go package below go_shim/cmd."""
    instances_per_process: int = Field(ge=1)
    core: tuple[str, ...]
    """Versions of the core run; `latest` is the newest in the registry. Empty = none."""
    source: Source
    roles: Mapping[str, Span]
    profiles: Mapping[str, Span]
    security: Mapping[str, SecuritySpan] = {}
    """Kinds of security that the driver can set (`probe.model.security.NAMES`): TLS as `SSL`, and mechanisms."""
    rack: RackSpan | None = None
    """The setting of a reader's rack; None = the library reads from leaders only, or the driver cannot set it."""
    workloads: Mapping[Workload, Mapping[Role, Mapping[str, str]]] = {}
    """The library's own settings of a workload, by role: how it fills batches, and how many requests are under way."""
    missing_workloads: Mapping[Workload, str] = {}
    """Workloads that no application of this library can have, each with the reason."""
    read_committed: Mapping[str, str] = {}
    """The library's own settings by which a reader is given committed records only; empty = it has none."""
    behaviour: Behaviour
    versions: tuple[Version, ...]
    mirrors: str = ""
    group_topics: tuple[str, ...] = ()
    """Topics that an application makes for its group: what their names have after the group's."""
    judged_by: Literal["", "wire"] = ""
    """`wire`: an application that reports no deliveries; only the traffic and the read-back judge it."""

    @field_validator("security")
    @classmethod
    def _security_is_known(cls, spans: Mapping[str, SecuritySpan]) -> Mapping[str, SecuritySpan]:
        if unknown := sorted(set(spans) - set(NAMES)):
            raise ValueError(f"there is no {unknown[0]}; known are {', '.join(NAMES)}")
        return spans

    @model_validator(mode="after")
    def _core_is_pinned(self) -> Family:
        known = {item.version for item in self.versions}
        missing = [version for version in self.core if version != "latest" and version not in known]
        if missing:
            raise ValueError(f"core names {', '.join(missing)}, which [[versions]] does not list")
        return self

    def stands_for_its_line(self, version: str) -> bool:
        """Return whether a version is a core version, the newest listed one of its line, or unlisted.

        A line is a major version; before 1.0, a minor one.
        """
        listed = [item.version for item in self.versions if line_of(item.version) == line_of(version)]
        return version in self.core or version not in listed or version == max(listed, key=version_key)

    def client(self, version: Version) -> Client:
        """Return the client of one of its versions, as in cells and results."""
        return Client(self.family, version.version)

    @property
    def newest(self) -> Version:
        """Return the newest pinned version."""
        return max(self.versions, key=lambda item: version_key(item.version))

    def find(self, version: str) -> Version | None:
        """Return the pinned entry of a version, if there is one."""
        return next((item for item in self.versions if item.version == version), None)

    def settings_of(self, workload: Workload, role: Role) -> Mapping[str, str]:
        """Return the library's own settings of a workload; a profile's properties come on top of them."""
        return self.workloads.get(workload, {}).get(role, {})

    @property
    def playable(self) -> Mapping[str, Span]:
        """Return the profiles of the driver, and `read-committed` where the library has a setting for it."""
        return {**self.profiles, READ_COMMITTED: Span()} if self.read_committed else self.profiles

    def limit(self, limits: tuple[Limit, ...], version: str) -> int:
        """Return the first limit whose span covers the version; 0 if none does."""
        return next((item.value for item in limits if item.covers(version)), 0)


def read_family(path: Path) -> Family:
    """Read one client.toml. CatalogueError with the file, the key and the problem."""
    values = read_toml(path)
    try:
        return Family.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise CatalogueError(f"{path}: {where}: {first['msg']}; correct or remove the key") from None


def read_families(folder: Path) -> Mapping[str, Family]:
    """Return the families of every clients/*/client.toml by name, which is the folder's.

    A file is read when its family is first looked up, which raises CatalogueError for a broken one. CatalogueError for
    a folder without such files.
    """
    files = {path.parent.name: path for path in sorted(folder.glob("*/client.toml"))}
    if not files:
        raise CatalogueError(
            f"{folder}: no */client.toml here; run from a checkout, or name the folder in PROBE_CLIENTS"
        )
    return LateEntries(files, lambda name: _named(files[name], name))


def _named(path: Path, name: str) -> Family:
    family = read_family(path)
    if family.family != name:
        raise CatalogueError(f"{path}: family: {family.family} is not the name of the folder; make them equal")
    return family
