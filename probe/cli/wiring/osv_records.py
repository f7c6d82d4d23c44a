"""The archives of OSV records beside a site, in the folders in which osv-scanner looks for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from probe.cells.aggregate import SettledCell
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import packages
from probe.reports.osv import Record, archives, newest, read_archive, records, withdraw

FOLDER = "osv-scalibr"
"""Folder of a site, named as osv-scanner reads it: `osv-scalibr/<ecosystem>/all.zip`."""
ARCHIVE = "all.zip"


def osv_files(cells: Collection[SettledCell], existing: Path) -> Mapping[str, bytes]:
    """Return the archives of a site by path, from its settled cells and the records of the existing site."""
    made = records(cells, packages())
    found = withdraw(_earlier(existing), made, newest(item.run_id for item in cells))
    return {f"{FOLDER}/{ecosystem}/{ARCHIVE}": data for ecosystem, data in archives(found).items()}


def _earlier(site: Path) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for path in sorted((site / FOLDER).glob(f"*/{ARCHIVE}")):
        try:
            found |= read_archive(path.read_bytes())
        except (OSError, ValueError) as error:
            say(f"{path}: {error}; its records are written anew, and none of them is withdrawn")
    return found
