"""jars.toml of the catalogue: every jar that we use beside the clients under test, with its digest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from probe.catalogue.files import data_file
from probe.errors import ProvisionError


@dataclass(frozen=True, slots=True)
class Pins:
    """Coordinates are `group:artifact:version`, or `group:artifact:version:packaging:classifier`."""

    schemas: tuple[str, str]
    """The last jar with the message versions that Kafka dropped, and the newest; both hold Kafka's definitions."""
    api: str
    """What the driver is compiled against."""
    protoc: str
    """The message compiler, without its classifier, which names the machine."""
    ecj: str
    """The Java compiler for machines that have none."""
    digests: Mapping[str, str]
    """`sha256:...` by coordinate."""


def read_pins() -> Pins:
    """Read the file; ProvisionError names what is wrong with it."""
    path = data_file("jars.toml")
    try:
        told = tomllib.loads(path.read_text())
        old, new = told["schemas"]["jars"]
        build = told["build"]
        return Pins((old, new), build["api"], build["protoc"], build["ecj"], told["digests"])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ProvisionError(f"{path}: {error}; take the file of the checkout") from None
    except (KeyError, ValueError, TypeError) as error:
        raise ProvisionError(f"{path}: {error} is missing or malformed; take the file of the checkout") from None
