"""Families whose versions are jars in the Maven registry: one driver, compiled once; one process per version."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import stat
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from probe.catalogue.brokers import broker_digests
from probe.catalogue.families import Family, Version
from probe.catalogue.files import clients_folder, driver_contract
from probe.drivers.launch import Launch
from probe.errors import ProvisionError
from probe.files.atomic import filling
from probe.toolchain import maven_jars
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command
from probe.toolchain.java import compile_java, java
from probe.toolchain.pinned_jars import Pins, read_pins
from probe.toolchain.tools import ToolError

MAIN = "probe.driver.Driver"
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
        found = maven_jars.fetch(family.source.extra, cache, digests={**broker_digests(), **pins.digests})
        libraries = [found[item] for item in family.source.extra]
        driver = _driver(family, pins, libraries, cache)
    except (ToolError, OSError) as error:
        raise ProvisionError(f"{family.family} {version.version}: {error}") from None
    # The client under test comes first: no other jar may replace one of its classes.
    path = ":".join(map(str, [client, driver, *libraries]))
    mark = version.version.partition("+local.")[2]
    options = (*OPTIONS, f"-Dprobe.local={mark}") if mark else OPTIONS
    return Launch(argv=(str(program), *options, "-cp", path, MAIN), artifact=artifact)


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


def _driver(family: Family, pins: Pins, libraries: Sequence[Path], cache: Path) -> Path:
    """Return the driver's jar; it is compiled unless the cache holds it for the same sources."""
    root = clients_folder() / family.family / family.driver
    sources = sorted(root.rglob("*.java"))
    if not sources:
        raise ToolError(f"{root} holds no Java sources; take the folder of the checkout")
    contract = driver_contract()
    built = cache / "drivers" / family.family / _key([*sources, contract], pins, family)
    with locked(built):
        if not built.exists():
            with filling(built) as whole:
                _build(sources, contract, pins, libraries, cache, whole)
    return built / "driver.jar"


def _key(files: Sequence[Path], pins: Pins, family: Family) -> str:
    digest = hashlib.sha256(repr((pins.api, pins.protoc, family.source.extra)).encode())
    for file in files:
        digest.update(f"\n{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _build(
    sources: Sequence[Path], contract: Path, pins: Pins, libraries: Sequence[Path], cache: Path, out: Path
) -> None:
    def ecj() -> Path:
        return maven_jars.fetch([pins.ecj], cache, digests=pins.digests)[pins.ecj]

    api = maven_jars.fetch([pins.api], cache, digests=pins.digests)[pins.api]
    generated, classes = out / "generated", out / "classes"
    generated.mkdir()
    classes.mkdir()
    _generate(contract, pins, cache, generated)
    compile_java(sorted(generated.rglob("*.java")), classes, classpath=libraries, ecj=ecj, strict=False)
    compile_java(sources, classes, classpath=[classes, api, *libraries], ecj=ecj)
    with zipfile.ZipFile(out / "driver.jar", "w", zipfile.ZIP_DEFLATED) as jar:
        for item in sorted(classes.rglob("*.class")):
            jar.write(item, item.relative_to(classes))
    shutil.rmtree(generated)
    shutil.rmtree(classes)


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
