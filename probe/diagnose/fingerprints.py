"""Fingerprints of listed client versions: how trials become one, and the file in this package. Standard library only.

The file (docs/schema/fingerprints.json, gzipped) has a row per client version, profile and release line. What was seen
is stored once, since most versions have that of their neighbours. `probe publish-fingerprints` makes it.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probe import __version__
from probe.diagnose.traits import Traits, traits_of, united
from probe.errors import NothingJudgedError, reason_of
from probe.files.digests import digest_in, digest_of, digest_path
from probe.model.cell import Cell
from probe.model.handshake import Handshake
from probe.model.versions import version_key

SCHEMA = 1
"""Number of the schema. Additive changes keep it."""
SHIPPED = Path(__file__).resolve().parent / "data" / "fingerprints.json.gz"
MAX_BYTES = 16 * 1024 * 1024
"""Greatest size of a file that is read, and of its content."""


DAMAGE = (AttributeError, EOFError, LookupError, OSError, RecursionError, TypeError, ValueError, zlib.error)
"""Errors of reading a file that holds something else."""


class FingerprintsError(NothingJudgedError):
    """Fingerprints cannot be read or made. The text names the file, the reason and the way out in one line."""


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """The condition on which a version's requests depend besides the version."""

    profile: str
    """Written profile, such as `isolated` or `isolated+Version=2.1.0.0`."""
    broker: str
    """Release line."""


TraitsByCondition = Mapping[Condition, Traits]
"""Observations of one version."""


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Observations of listed client versions."""

    clients: Mapping[str, Mapping[str, TraitsByCondition]]
    """Family to version, ascending, to what was seen of it."""

    def without(self, gone: Iterable[tuple[str, str]]) -> Fingerprints:
        """Return the fingerprints without some clients (family, version)."""
        left_out = frozenset(gone)
        kept = {
            family: {version: seen for version, seen in versions.items() if (family, version) not in left_out}
            for family, versions in self.clients.items()
        }
        return Fingerprints({family: versions for family, versions in kept.items() if versions})

    def with_more(self, other: Fingerprints) -> Fingerprints:
        """Return these with those of other trials, which count instead where both have the same condition."""
        found: dict[tuple[str, str], dict[Condition, Traits]] = defaultdict(dict)
        for one in (self, other):
            for family, versions in one.clients.items():
                for version, seen in versions.items():
                    found[family, version].update(seen)
        return _ordered(found)


def learned(handshakes: Mapping[Cell, Iterable[Handshake]]) -> Fingerprints:
    """Return the fingerprints of the clients of trials. The roles of a client count as one: applications mix them."""
    found: dict[tuple[str, str], dict[Condition, list[Traits]]] = defaultdict(lambda: defaultdict(list))
    for cell, sent in handshakes.items():
        traits = whole(sent)
        if traits.versions:
            found[cell.family, cell.version][Condition(cell.profile, cell.broker)].append(traits)
    return _ordered({client: {at: united(some) for at, some in seen.items()} for client, seen in found.items()})


def whole(handshakes: Iterable[Handshake]) -> Traits:
    """Return the traits of a trial, which sees every connection from its beginning."""
    found = tuple(handshakes)
    return traits_of(found, {one.conn for one in found})


def _ordered(found: Mapping[tuple[str, str], TraitsByCondition]) -> Fingerprints:
    clients: dict[str, dict[str, TraitsByCondition]] = defaultdict(dict)
    for family, version in sorted(found, key=lambda client: (client[0], version_key(client[1]))):
        seen = found[family, version]
        clients[family][version] = {at: seen[at] for at in sorted(seen)}
    return Fingerprints(dict(clients))


def written(fingerprints: Fingerprints) -> bytes:
    """Return the content of a file; equal fingerprints make equal files."""
    numbers: dict[str, int] = {}
    rows = [
        {
            "family": family,
            "version": version,
            "profile": at.profile,
            "broker": at.broker,
            "traits": numbers.setdefault(json.dumps({"versions": one.versions, "values": one.values}), len(numbers)),
        }
        for family, versions in fingerprints.clients.items()
        for version, seen in versions.items()
        for at, one in seen.items()
    ]
    head = f'{{"schema": {SCHEMA}, "program": {json.dumps(__version__)}, "traits": ['
    lines = [head, ",\n".join(numbers), '], "clients": [', ",\n".join(map(json.dumps, rows)), "]}\n"]
    return gzip.compress("\n".join(lines).encode(), mtime=0)


def read(data: bytes, name: str) -> Fingerprints:
    """Return the fingerprints of a file; FingerprintsError for anything else."""
    try:
        with gzip.open(io.BytesIO(data)) as file:
            found = json.loads(file.read(MAX_BYTES))
        schema = int(found["schema"])
        fingerprints = _read(found) if schema <= SCHEMA else None
    except DAMAGE as error:
        reason = f"{type(error).__name__} {reason_of(error)}"
        raise FingerprintsError(f"{name} holds no fingerprints: {reason}; install the package again") from None
    if fingerprints is None:
        raise FingerprintsError(f"{name} has schema {schema}, this program knows {SCHEMA}: use a newer probe")
    return fingerprints


def _read(found: Any) -> Fingerprints:
    traits = [
        Traits(
            versions={int(api): tuple(map(int, some)) for api, some in one["versions"].items()},
            values={str(name): tuple(some) for name, some in one["values"].items()},
        )
        for one in found["traits"]
    ]
    clients: dict[tuple[str, str], dict[Condition, Traits]] = defaultdict(dict)
    for row in found["clients"]:
        at = Condition(str(row["profile"]), str(row["broker"]))
        clients[str(row["family"]), str(row["version"])][at] = traits[row["traits"]]
    return _ordered(clients)


@cache
def shipped(path: Path = SHIPPED) -> Fingerprints:
    """Return the fingerprints of the package. FingerprintsError if the file is missing or damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        stated = digest_in(digest_path(path).read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise FingerprintsError(f"{path} cannot be read: {reason_of(error)}; install the package again") from None
    if len(data) > MAX_BYTES or digest_of(data) != stated:
        raise FingerprintsError(
            f"{path} does not match the digest that stands beside it: it is damaged; install the package again"
        )
    return read(data, str(path))
