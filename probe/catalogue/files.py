"""Locations of the files that define clients, applications and Kafka releases."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
"""Inside the package, so that an installation has it as well."""
CHECKOUT = Path(__file__).resolve().parents[2]


def data_file(name: str) -> Path:
    """Return a file of the catalogue: apps.toml, jars.toml, kafka.toml, known_results.toml."""
    return DATA / name


def clients_folder() -> Path:
    """Return the folder of client families and their drivers: $PROBE_CLIENTS, else the checkout's own."""
    return Path(os.environ.get("PROBE_CLIENTS") or CHECKOUT / "clients")


def driver_contract() -> Path:
    """Return the checkout's driver.proto, the contract between the orchestrator and the drivers."""
    return CHECKOUT / "proto" / "driver.proto"
