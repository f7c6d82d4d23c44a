"""Where client versions come from: a module per kind of source, each with `obtain`, `newest`, `exists`, `releases`."""

from __future__ import annotations

import os
from pathlib import Path


def clients_folder() -> Path:
    """Return the folder of client families: $PROBE_CLIENTS, else the checkout's own."""
    return Path(os.environ.get("PROBE_CLIENTS") or Path(__file__).resolve().parents[3] / "clients")
