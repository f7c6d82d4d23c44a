"""Locations of the files that define clients, applications and Kafka releases."""

from __future__ import annotations

import os
from pathlib import Path

from probe.files.sources import source_folder

DATA = Path(__file__).resolve().parent / "data"
"""Inside the package, so that an installation has it as well."""


def data_file(name: str) -> Path:
    """Return a file of the catalogue, such as kafka.toml."""
    return DATA / name


def clients_folder() -> Path:
    """Return the folder of client families and their drivers: $PROBE_CLIENTS, else the project's own."""
    return Path(os.environ.get("PROBE_CLIENTS") or source_folder("clients"))


def driver_contract() -> Path:
    """Return the contract between the orchestrator and drivers, driver.proto."""
    return source_folder("proto") / "driver.proto"
