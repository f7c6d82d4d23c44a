"""Further readers for `benchmarks/fuzz.py`: files that people write, and what they name on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from probe.catalogue.apps_file import read_apps
from probe.catalogue.families import read_family
from probe.catalogue.files import clients_folder, data_file
from probe.catalogue.known_results import contrasted, expected, read_known
from probe.catalogue.selectors import select_clients
from probe.cells.cell_ignores import read_cell_ignores
from probe.cli.wiring.bundles import bundle_of
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.cli.wiring.known_file import without_known
from probe.model import Profile
from probe.model.rack import Rack
from probe.model.security import Security
from probe.model.sweep import Sweep
from probe.reports.audit.sarif import FINGERPRINT
from tests.support.fuzzed_readers import Reader, RefusedError

CELL_IGNORES = b"""[[ignore]]
cell = "producer disk/storage-error"
reason = "the refresh comes with #123"
link = "https://example.org/1"
expires = 2999-01-01

[[ignore]]
cell = "* net/*"
reason = "known"
"""


@cache
def _apps() -> Mapping[str, bytes]:
    head, *tables = data_file("apps.toml").read_bytes().split(b"[[app]]")
    return {str(number): head + b"[[app]]" + one for number, one in enumerate(tables)}


def _known() -> Mapping[str, bytes]:
    head, *tables = data_file("known_results.toml").read_bytes().split(b"[[known]]")
    return {str(number): head + b"[[known]]" + one for number, one in enumerate(tables[:40])}


def _read_known(_: str, data: bytes, folder: Path) -> object:
    path = folder / "known.toml"
    path.write_bytes(data)
    return [(expected(one), contrasted(one)) for one in read_known(path)]


SARIF = json.dumps(
    {"runs": [{"results": [{"partialFingerprints": {FINGERPRINT: "a"}, "properties": {"workloads": ["keyed"]}}]}]}
).encode()


def _read_findings(_: str, data: bytes, folder: Path) -> object:
    path = folder / "known.sarif"
    path.write_bytes(data)
    return without_known(path, [])


def _read_apps(_: str, data: bytes, folder: Path) -> object:
    path = folder / "apps.toml"
    path.write_bytes(data)
    return {name: [one.library for one in app.versions] for name, app in read_apps(path, families()).items()}


@cache
def _families() -> Mapping[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(clients_folder().glob("*/client.toml"))}


def _read_family(name: str, data: bytes, folder: Path) -> object:
    path = folder / name / "client.toml"
    path.parent.mkdir()
    path.write_bytes(data)
    family = read_family(path)
    return family.newest, family.playable, [family.client(one) for one in family.versions]


CELLS = {
    "sarama-1.43.2-storage-error": None,
    "sarama@1.43.2 producer disk/storage-error": None,
    "kafka-python@2.0.2 producer net/reset": "3.0.12",
    "kafkajs@1.14.0 group one-broker/net/reset": "1.15.0",
}


def _read_bundle(_: str, data: bytes, __: Path) -> object:
    cell, against = (*data.decode(errors="replace").splitlines(), "", "")[:2]  # commands join the lines of a message
    return bundle_of(cell, against or None).files()


NAMED: Mapping[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "security": (Security.parse, ("SASL_SSL/SCRAM-SHA-512", "SASL_PLAINTEXT/OAUTHBEARER", "SSL")),
    "rack": (Rack.parse, ("leader", "follower")),
    "over": (Sweep.parse, ("election=0,100,1000", "property:Producer.Retry.Max=1,3,10", "partitions=1,10")),
    "profile": (
        Profile.parse,
        ("isolated+election=1000,40+linger.ms=5", "defaults+=election=fast+security=SASL_SSL/PLAIN", "a++b+c=d"),
    ),
    "client": (
        lambda text: select_clients(families(), text.splitlines()[:1], by_number, apps()),
        ("sarama@>=1.40", "sarama@1.43.2", "librdkafka@all", "java@<0.11", "spring-kafka@3.2.0"),
    ),
}
"""Names of the command line and of tables, with the parser of each form; a ValueError is one of its refusals.

No registry is asked for a version: a number alone identifies it here.
"""


def _read_named(name: str, data: bytes, _: Path) -> object:
    kind = name.partition(" ")[0]
    try:
        found = NAMED[kind][0](data.decode(errors="replace"))
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return found, str(found)


READERS: Mapping[str, Reader] = {
    one.name: one
    for one in (
        Reader(
            "cell-ignores",
            lambda: {"i.toml": CELL_IGNORES},
            lambda name, data, _: read_cell_ignores(data.decode(errors="replace"), name),
        ),
        Reader("apps-files", _apps, _read_apps),
        Reader("client-files", _families, _read_family),
        Reader("known-results", _known, _read_known),
        Reader("known-findings", lambda: {"k.sarif": SARIF}, _read_findings),
        Reader("bundles", lambda: {c: f"{c}\n{v or ''}".encode() for c, v in CELLS.items()}, _read_bundle),
        Reader(
            "named",
            lambda: {f"{kind} {text}": text.encode() for kind, (_, texts) in NAMED.items() for text in texts},
            _read_named,
        ),
    )
}
