"""brokers/kafka.toml: the Kafka versions that real brokers are played by, with every artifact and its digest."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from probe.catalogue.families import CatalogueError
from probe.catalogue.selectors import broker_line

FILE = Path(__file__).resolve().parents[2] / "brokers" / "kafka.toml"


class Kafka(BaseModel):
    """One version of Kafka."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    mode: Literal["kraft", "zookeeper"]
    jars: tuple[str, ...]
    """Maven coordinates of the class path, in its order."""
    java: tuple[str, ...] = ()
    """Options that its Java needs."""

    @property
    def line(self) -> str:
        """Return the broker line that it stands for."""
        return broker_line(self.version)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kafka: tuple[Kafka, ...]
    digests: Mapping[str, str]


@cache
def real_brokers() -> Mapping[str, Kafka]:
    """Return the version of each broker line that real brokers are played by. CatalogueError for a broken file."""
    return {item.line: item for item in _read().kafka}


def broker_digests() -> Mapping[str, str]:
    """Return the digests (`sha256:...`) by coordinate. CatalogueError for a broken file."""
    return _read().digests


def check_lines(lines: Sequence[str]) -> None:
    """Say so when a broker line cannot be played by real brokers: CatalogueError."""
    known = real_brokers()
    for line in lines:
        if line not in known:
            listed = ", ".join(item.version for item in known.values())
            raise CatalogueError(f"--broker {line}: --engine kafka has no version of this line; it plays {listed}")


@cache
def _read() -> _File:
    path = Path(os.environ.get("PROBE_BROKERS") or FILE)
    try:
        return _File.model_validate(tomllib.loads(path.read_text()))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {error}; take the file of the checkout") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CatalogueError(f"{path}: {place}: {first['msg']}; take the file of the checkout") from None
