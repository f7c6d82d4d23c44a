"""deno.lock, versions 2 to 5: JSON whose npm packages have name and version as their key. Aliases are not in it.

It does not say which packages only development needs. Modules by address (`remote`) are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import npm_reference
from probe.inventory.packages import client_of, mentions
from probe.inventory.shapes import table

LIMIT = 16 * MIB


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked."""
    whole = document.text(LIMIT)
    for key in _packages(table(json.loads(whole))) if mentions(whole, "npm") else ():
        name, resolved = npm_reference(key)
        version = resolved.partition("_")[0]  # behind it: the packages that it was resolved beside
        item = client_of("npm", name, version, place=document.at(f"npm {key}")) if version else None
        if item is not None:
            yield item


def _packages(lock: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the npm packages: below `packages` in version 3, in `packages` of `npm` before, in `npm` since 4."""
    npm = table(table(lock.get("packages")).get("npm")) or table(lock.get("npm"))
    return table(npm.get("packages")) if "specifiers" in npm else npm
