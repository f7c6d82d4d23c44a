"""bun.lock (https://bun.sh/docs/pm/lockfile), as Bun writes it since 1.2: JSON with commas before closing brackets.

Each package is a list whose first entry names it, `kafkajs@2.2.4`, whatever alias its key has. The folders of the
project (`workspaces`) say what only development asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from, commit_in, npm_reference, origin_of
from probe.inventory.packages import client_of, concerns, mentions, only_for_development
from probe.inventory.shapes import table, text

LIMIT = 16 * MIB
LAST_COMMA = re.compile(r"""("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])""")
"""A text, which stays as it is, or the comma behind the last entry of a list or object."""
DEVELOPMENT = "devDependencies"
DEPENDENCIES = ("dependencies", "optionalDependencies", "peerDependencies")


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked; those that only development asks for are skipped."""
    whole = document.text(LIMIT)
    lock = table(json.loads(LAST_COMMA.sub(lambda found: found[1] or "", whole))) if mentions(whole, "npm") else {}
    packages = {key: entry for key, entry in table(lock.get("packages")).items() if isinstance(entry, list)}
    patched, spare = table(lock.get("patchedDependencies")), _only_for_development(lock, packages)
    service = text(table(table(lock.get("workspaces")).get("")).get("name"))
    for key, entry in packages.items():
        name, version = npm_reference(text(entry[0]) if entry else "")
        if not concerns("npm", name) or version.startswith(("workspace:", "root:")):
            continue
        origin = Origin.PATCHED if f"{name}@{version}" in patched else origin_of(version)
        item = client_of(
            "npm",
            name,
            version,
            place=document.at(whole.count("\n", 0, whole.find(f'\n    "{key}": [') + 1) + 1),
            service=service,
            unknown=came_from(origin, commit=commit_in(version)) if origin else "",
        )
        if item is not None:
            yield only_for_development(item, "dev") if key in spare else item


def _only_for_development(lock: Mapping[str, Any], packages: Mapping[str, Sequence[Any]]) -> frozenset[str]:
    """Return the keys of packages that folders of the project ask for as development alone, and no package needs."""
    folders = [table(folder) for folder in table(lock.get("workspaces")).values()]
    needing = [*folders, *(table(part) for entry in packages.values() for part in entry)]
    needed = {name for one in needing for kind in DEPENDENCIES for name in table(one.get(kind))}
    return frozenset(name for folder in folders for name in table(folder.get(DEVELOPMENT)) if name not in needed)
