"""build.gradle and build.gradle.kts: dependencies that are written out (https://docs.gradle.org/current/userguide/).

A build file is a program, so only what stands in it as text is read. What it takes from a version catalogue
(`libs.kafka.clients`) is named by libs.versions.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of, known, mentions
from probe.inventory.readers.gradle_lock import TEST

LIMIT = 4 * MIB
LOCK = "gradle.lockfile"
COMMENT = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/", re.DOTALL)
QUOTE = r"""['"]"""
CALL = r"(?P<configuration>[A-Za-z]{1,60})[ \t]*\(?[ \t]*"
NAME = r"[\w.-]{1,200}"
COORDINATE = re.compile(
    rf"{CALL}(?:(?:enforcedP|p)latform[ \t]*\(?[ \t]*)?{QUOTE}(?P<group>{NAME}):(?P<name>{NAME})"
    r"""(?::(?P<version>[^'":@\n]{1,100}))?(?:[:@][^'"\n]{0,60})?['"]"""
)
BY_KEYS = re.compile(
    rf"{CALL}group[ \t]*[:=][ \t]*{QUOTE}(?P<group>{NAME}){QUOTE}[ \t]*,"
    rf"[ \t]*name[ \t]*[:=][ \t]*{QUOTE}(?P<name>{NAME}){QUOTE}"
    r"""(?:[ \t]*,[ \t]*version[ \t]*[:=][ \t]*(?P<version>['"]?[^'",)\n]{1,100}))?"""
)
PLUGIN = re.compile(
    rf"org\.springframework\.boot{QUOTE}?\)?[ \t]*(?:version[ \t]*\(?[ \t]*|:spring-boot-gradle-plugin:){QUOTE}?"
    r"(?P<version>[\w.-]{1,60})"
)
VALUE = re.compile(
    r"""(?m)(?P<name>[\w.]{1,100})['"\])]*[ \t]*(?:=|by extra\()[ \t]*['"](?P<value>[^'"\n]{1,100})['"]"""
)
PLACE = re.compile(r"\$\{?(?:rootProject\.|project\.|ext\.|extra\[?['\"]?)*(?P<name>\w+)['\"]?\]?\}?")
NO_VERSION = "the file names no version; a bill of materials or a version catalogue decides it"
BOOT = "org.springframework.boot:spring-boot-dependencies"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are written out; none if gradle.lockfile lies beside it, since that is read."""
    whole = document.text(LIMIT)
    if not mentions(whole, "maven"):
        return
    with document.beside(LOCK) as lock:
        if lock is not None:
            yield Skipped("what it asks for", f"{LOCK} beside it says what is built in")
            return
    plain = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), whole)
    values = _values(plain, document)
    boot = PLUGIN.search(plain) or next((one for one in COORDINATE.finditer(plain) if _is_boot(one)), None)
    for pattern in (COORDINATE, BY_KEYS):
        for found in pattern.finditer(plain):
            item = _client(found, values, _resolved(boot["version"], values)[0] if boot else "", plain, document)
            if item is not None:
                yield item


def _is_boot(found: re.Match[str]) -> bool:
    return f"{found['group']}:{found['name']}" == BOOT and bool(found["version"])


def _values(plain: str, document: Document) -> Mapping[str, str]:
    """Return the texts of names, here and in gradle.properties beside; a name with two of them has none."""
    found: dict[str, str] = {}
    for one in VALUE.finditer(plain):
        name = one["name"].rpartition(".")[2]
        found[name] = one["value"] if found.get(name, one["value"]) == one["value"] else ""
    with document.beside("gradle.properties") as other:
        for line in other.text(LIMIT).splitlines() if other is not None else ():
            name, equals, value = line.partition("=")
            if equals and not line.lstrip().startswith(("#", "!")):
                found.setdefault(name.strip(), value.strip())
    return found


def _client(
    found: re.Match[str], values: Mapping[str, str], boot: str, plain: str, document: Document
) -> Found | Skipped | None:
    name = f"{found['group']}:{found['name']}"
    if known("maven", name) is None and "kafka" not in name.lower():
        return None
    place = document.at(plain.count("\n", 0, found.start()) + 1)
    version, why = _resolved((found["version"] or "").strip(" '\""), values)
    if not version and not why and boot:
        item = client_of("maven", name, boot, place=place)
        by_boot = known("maven", BOOT)
        if isinstance(item, Found) and by_boot is not None:
            item = replace(item, client=by_boot.client, note=f"Spring Boot {boot} decides its version")
    else:
        item = client_of("maven", name, version, place=place, unknown=why or ("" if version else NO_VERSION))
    if isinstance(item, Found) and TEST.search(found["configuration"]):
        return Skipped(f"{name} {version}".strip(), f"only for tests ({found['configuration']})")
    return item


def _resolved(text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return a version, with the values of names in it; or why there is none."""
    if "$" not in text:
        return (values.get(text) or text if re.fullmatch(r"[A-Za-z_]\w*", text) else text), ""
    plain = PLACE.sub(lambda one: values.get(one["name"]) or one[0], text)
    return ("", f"{text} is set elsewhere") if "$" in plain else (plain, "")
