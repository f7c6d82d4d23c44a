"""Groups of dependencies in Python's lock files, and which of them are of development. Pure.

Groups are named freely (PEP 735, Poetry, PDM): only these names say by themselves that no service runs the package.
"""

from __future__ import annotations

import re
from collections.abc import Collection

DEVELOPMENT_GROUPS = frozenset({"dev", "develop", "development", "test", "tests", "testing", "lint", "docs", "typing"})
MEMBER = re.compile(r"""["']([^"']+)["'] in dependency_groups""")
"""A group in a marker of pylock.toml (PEP 751)."""


def development_groups(groups: Collection[str]) -> str:
    """Return the groups of a package that only development needs, in order; empty if another group has it, or none."""
    return ", ".join(sorted(groups)) if groups and DEVELOPMENT_GROUPS.issuperset(groups) else ""


def marked_groups(marker: str) -> frozenset[str]:
    """Return the groups of which a marker asks for one; none if an extra, too, brings the package."""
    return frozenset() if " in extras" in marker else frozenset(MEMBER.findall(marker))
