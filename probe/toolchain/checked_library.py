"""The tools that a check of one library needs. Standard library only, for set-up."""

from __future__ import annotations

import tomllib
from pathlib import Path

TOOLS_OF = {"jar": ("java",), "npm": ("node",)}
"""The tools of a kind of source (`clients/*/client.toml`) besides Go, which builds the fake brokers."""


def needed_tools(root: Path, task: str, arguments: list[str]) -> tuple[str, ...] | None:
    """Return the tools that `probe check FAMILY@path:DIR` needs besides Go; None for any other task: all of them."""
    if task != "probe" or arguments[:1] != ["check"] or {"-h", "--help"} & {*arguments}:
        return None
    named = next((item.partition("@")[0] for item in arguments if "@path:" in item), "")
    try:
        source = tomllib.loads((root / "clients" / named / "client.toml").read_text())["source"]
    except (OSError, ValueError, KeyError):
        return None
    return TOOLS_OF.get(source["kind"], ())
