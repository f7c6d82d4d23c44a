"""Families whose versions are jars in the Maven registry: one driver, compiled once; one process per version.

An application (`source.builds_on`) adds classes to the driver of its library, which are compiled for each version.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from probe.catalogue.brokers import broker_digests
from probe.catalogue.families import Family, Version, read_family
from probe.catalogue.files import clients_folder, driver_contract
from probe.drivers.launch import Launch
from probe.errors import ProvisionError
from probe.files.atomic_writes import filling, write_file
from probe.toolchain import maven_dependencies, maven_jars
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command
from probe.toolchain.java import compile_java, java
from probe.toolchain.pinned_jars import Pins, read_pins
from probe.toolchain.tools import ToolError

DRIVER = "driver.jar"
CLIENT = "client.toml"
LOCAL = "path:"
"""Prefix of an artifact that is a jar on this machine."""
STATED = "kafka/kafka-version.properties"
"""The file in which a client jar states its own version."""
OPTIONS = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")
"""Small memory and quick start, with capacity for all clients of a process. C1 alone saves CPU in a short life. Without
perf data no file is left in the temporary folder."""
PROTOC_S = 60
MACHINES: Mapping[tuple[str, str], str] = {
    ("Linux", "x86_64"): "linux-x86_64",
    ("Linux", "aarch64"): "linux-aarch_64",
    ("Darwin", "x86_64"): "osx-x86_64",
    ("Darwin", "arm64"): "osx-aarch_64",
}
"""Names of machines in protoc's artifacts."""


def obtain(family: Family, version: Version, cache: Path) -> Launch:
    """Return the driver's command for this version; download jars and compile the driver if needed.

    ProvisionError if the version does not exist, cannot be downloaded or does not match its digest, or without Java.
    """
    pins = read_pins()
    try:
        program = java()
        client, artifact = _client(family, version, pins, cache)
        base = read_family(clients_folder() / family.source.builds_on / CLIENT) if family.source.builds_on else family
        shared = _jars(base.source.extra, pins, cache)
        driver = _driver(base, pins, list(shared.values()), cache)
        if base is family:
            path = [client, driver, *shared.values()]
        else:
            own = _jars(_needs(family, version, cache), pins, cache)
            # An application's own jars come in its own releases: its library's driver must not bring others.
            theirs = {_project(name) for name in own}
            rest = [item for name, item in shared.items() if _project(name) not in theirs]
            libraries = [client, *own.values(), driver, *rest]
            path = [client, *own.values(), _application(family, version, pins, libraries, cache), driver, *rest]
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family} {version.version}: {error}") from error
    mark = version.version.partition("+local.")[2]
    options = (*OPTIONS, f"-Dprobe.local={mark}") if mark else OPTIONS
    # The client under test comes first: no other jar may replace one of its classes.
    argv = (str(program), *options, "-cp", ":".join(map(str, path)), family.source.main)
    return Launch(argv=argv, artifact=artifact, folder_option="-Djava.io.tmpdir=")


def newest(family: Family) -> str:
    """Return the newest release in the registry. Raises ProvisionError if it does not answer."""
    return maven_jars.newest(family.source.name)


def releases(family: Family) -> list[str]:
    """Return the versions that the registry lists. Raises ProvisionError if it does not answer."""
    return maven_jars.versions(family.source.name)


def exists(family: Family, artifact: str) -> bool:
    """Return whether the registry lists this version. Raises ProvisionError if it does not answer."""
    return artifact in maven_jars.versions(family.source.name)


def local(family: Family, place: Path) -> Version:
    """Return the version of a client jar, or of the one built in a checkout of Kafka, as it states.

    Raises ProvisionError if there is none.
    """
    built = place.glob("clients/build/libs/kafka-clients-*.jar")
    jars = [item for item in built if not re.search(r"-(test|sources|javadoc)", item.name)]
    jar = max(jars, key=lambda item: item.stat().st_mtime, default=place)
    try:
        with zipfile.ZipFile(jar) as archive:
            stated = re.search(r"^version=(\S+)", archive.read(STATED).decode(), re.MULTILINE)
    except (OSError, zipfile.BadZipFile, KeyError):
        stated = None
    if stated is None:
        raise ProvisionError(
            f"{family.family}@path:{place}: no client jar there; name one, or a checkout after `gradlew clients:jar`"
        )
    return Version(version=f"{stated[1]}+local.{_sha256(jar)[:8]}", artifact=f"{LOCAL}{jar.resolve()}")


def _client(family: Family, version: Version, pins: Pins, cache: Path) -> tuple[Path, str]:
    """Return the jar under test, and its name with digest."""
    artifact = version.pinned_artifact
    if artifact.startswith(LOCAL):
        jar = Path(artifact.removeprefix(LOCAL))
        return jar, f"jar {jar.name} sha256:{_sha256(jar)}"
    name = f"{family.source.name}:{artifact}"
    digests = {**pins.digests, name: version.digest} if version.digest else pins.digests
    jar = maven_jars.fetch([name], cache, digests=digests)[name]
    return jar, f"jar {name} {maven_jars.digest(jar)}"


def _sha256(jar: Path) -> str:
    return hashlib.sha256(jar.read_bytes()).hexdigest()


def _jars(names: Sequence[str], pins: Pins, cache: Path) -> dict[str, Path]:
    return maven_jars.fetch(names, cache, digests={**broker_digests(), **pins.digests})


def _needs(family: Family, version: Version, cache: Path) -> tuple[str, ...]:
    """Return the jars that an application's version needs; Maven resolves those of an unlisted one, once."""
    if version.extra:
        return version.extra
    kept = cache / "closures" / f"{family.family}-{version.pinned_artifact}.json"
    itself = f"{family.source.name}:{version.pinned_artifact}"
    if not kept.exists():
        roots = [itself, *(item.format(version=version.pinned_artifact) for item in family.source.extra)]
        write_file(kept, json.dumps([item for item in maven_dependencies.resolve(roots) if item != itself]))
    return tuple(json.loads(kept.read_text()))


def _project(coordinate: str) -> str:
    group, artifact, _ = coordinate.split(":", 2)
    return f"{group}:{artifact}"


def _sources(family: Family) -> list[Path]:
    root = clients_folder() / family.family / family.driver
    sources = sorted(root.rglob("*.java"))
    if not sources:
        raise ToolError(f"{root} holds no Java sources; take the folder of the checkout")
    return sources


def _driver(family: Family, pins: Pins, libraries: Sequence[Path], cache: Path) -> Path:
    """Return the driver's jar; it is compiled unless the cache holds it for the same sources."""
    sources, contract = _sources(family), driver_contract()

    def build(out: Path) -> list[Path]:
        api = maven_jars.fetch([pins.api], cache, digests=pins.digests)[pins.api]
        generated, classes = out / "generated", out / "classes"
        generated.mkdir()
        classes.mkdir()
        _generate(contract, pins, cache, generated)
        messages = sorted(generated.rglob("*.java"))
        compile_java(messages, classes, classpath=libraries, ecj=_compiler(pins, cache), strict=False)
        compile_java(sources, classes, classpath=[classes, api, *libraries], ecj=_compiler(pins, cache))
        return [classes, generated]

    return _built(family, _key([*sources, contract], pins, family.source.extra), build, cache)


def _application(family: Family, version: Version, pins: Pins, libraries: Sequence[Path], cache: Path) -> Path:
    """Return the jar of an application's own part of the driver, compiled against the jars of its version."""
    sources = _sources(family)

    def build(out: Path) -> list[Path]:
        classes = out / "classes"
        classes.mkdir()
        compile_java(sources, classes, classpath=libraries, ecj=_compiler(pins, cache))
        return [classes]

    names = [item.name for item in libraries]
    key = _key([*sources, *(item for item in libraries if item.name == DRIVER)], pins, (version.version, *names))
    return _built(family, key, build, cache)


def _key(files: Sequence[Path], pins: Pins, extra: Sequence[str]) -> str:
    digest = hashlib.sha256(repr((pins.api, pins.protoc, tuple(extra))).encode())
    for file in files:
        digest.update(f"\n{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _compiler(pins: Pins, cache: Path) -> Callable[[], Path]:
    return lambda: maven_jars.fetch([pins.ecj], cache, digests=pins.digests)[pins.ecj]


def _built(family: Family, key: str, build: Callable[[Path], list[Path]], cache: Path) -> Path:
    """Return the driver's jar of this key in the cache. `build` returns the folder of classes, and others to remove."""
    built = cache / "drivers" / family.family / key
    with locked(built):
        if not built.exists():
            with filling(built) as whole:
                folders = build(whole)
                with zipfile.ZipFile(whole / DRIVER, "w", zipfile.ZIP_DEFLATED) as jar:
                    for item in sorted(folders[0].rglob("*.class")):
                        jar.write(item, item.relative_to(folders[0]))
                for folder in folders:
                    shutil.rmtree(folder)
    return built / DRIVER


def _generate(contract: Path, pins: Pins, cache: Path, out: Path) -> None:
    """Generate the message classes of the contract, in protoc's light variant, which starts faster."""
    machine = MACHINES.get((platform.system(), platform.machine()))
    if machine is None:
        raise ToolError(f"no protoc artifact is pinned for {platform.system()} on {platform.machine()}")
    name = f"{pins.protoc}:exe:{machine}"
    program = maven_jars.fetch([name], cache, digests=pins.digests)[name]
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    argv = [str(program), f"--proto_path={contract.parent}", f"--java_out=lite:{out}", contract.name]
    done = run_command(argv, PROTOC_S, ToolError(f"protoc took longer than {PROTOC_S:.0f} s; try again"))
    if done.returncode:
        complaint = re.sub(r"\s+", " ", done.stderr).strip()[:200]
        raise ToolError(f"{contract.name} did not compile: {complaint}")
    for file in out.rglob("*.java"):
        # Eclipse's compiler accepts this cast between generics only through Object.
        file.write_text(file.read_text().replace("(Builder) DEFAULT", "(Builder) (java.lang.Object) DEFAULT"))
