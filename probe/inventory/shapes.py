"""Values of JSON and TOML whose shape nobody vouches for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def table(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one for any other value."""
    return value if isinstance(value, Mapping) else {}


def tables(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the objects of a list; none for any other value."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def text(value: Any) -> str:
    """Return a text or number as text; an empty one for any other value."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
