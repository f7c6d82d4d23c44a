"""Client ids that libraries and applications have by default (`data/default_client_ids.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "data" / "default_client_ids.toml"
LONGEST = 300
"""Characters of a client id that are looked at."""


@cache
def _table() -> tuple[tuple[str, str], ...]:
    return tuple((row["pattern"], row["client"]) for row in tomllib.loads(TABLE.read_text())["id"])


def client_of_id(client_id: str, group: str) -> tuple[str, str]:
    """Return the client whose default an id is, and the id with `N` for the number of a member; empty for any other."""
    plain = client_id[:LONGEST]
    for pattern, client in _table():
        if re.fullmatch(pattern.replace("{group}", re.escape(group)), plain):
            return client, re.sub(r"-\d+(?=$|-consumer$)", "-N", plain)
    return "", ""
