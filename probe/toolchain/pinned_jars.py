"""jars.toml of the catalogue: every jar in use other than the clients under test, with its digest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from probe.catalogue.files import data_file
from probe.errors import ProvisionError


@dataclass(frozen=True, slots=True)
class Pins:
    """The pinned jars; coordinates are `group:artifact:version`, perhaps with `:packaging:classifier`."""

    schemas: tuple[str, str]
    """The last jar with the message versions that Kafka dropped, and the newest; both hold Kafka's definitions."""
    api: str
    """The jar that the driver is compiled against."""
    protoc: str
    """The message compiler, without the classifier, which names the machine."""
    ecj: str
    """The Java compiler for machines without one."""
    digests: Mapping[str, str]
    """`sha256:...` by coordinate."""


def read_pins() -> Pins:
    """Read the file. ProvisionError names the missing or malformed part."""
    path = data_file("jars.toml")
    try:
        content = tomllib.loads(path.read_text())
        old, new = content["schemas"]["jars"]
        build = content["build"]
        return Pins((old, new), build["api"], build["protoc"], build["ecj"], content["digests"])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ProvisionError(f"{path}: {error}; take the file of the checkout") from None
    except (KeyError, ValueError, TypeError) as error:
        raise ProvisionError(f"{path}: {error} is missing or malformed; take the file of the checkout") from None
