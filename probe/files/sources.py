"""Folders beside the Python packages: drivers, Go sources and contracts, in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = "kafka_metadata_probe_sources"
"""Folder of a wheel that holds them (pyproject.toml, force-include)."""


def source_folder(name: str, root: Path = ROOT) -> Path:
    """Return the folder `clients`, `go_shim` or `proto`: the checkout's, else that of the installed package."""
    own = root / name
    return own if own.is_dir() else root / INSTALLED / name
