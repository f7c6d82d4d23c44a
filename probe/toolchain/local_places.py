"""Places of this machine in what clients say, such as the stacks of their runtimes: what is published names none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from probe.toolchain.tools import cache_root

CHECKOUT = Path(__file__).resolve().parents[2]


def without_places(text: str) -> str:
    """Return a text in which the cache, this program's folder and the user's are named by what they are.

    `/home/ann/.cache/kafka-metadata-probe/npm/x.js:3` becomes `$PROBE_CACHE/npm/x.js:3`.
    """
    if "/" not in text:
        return text
    for place, name in _places():
        text = text.replace(place, name)
    return text


@cache
def _places() -> Sequence[tuple[str, str]]:
    """Return the places, the longest first, since one may lie in another; none that begins every path."""
    named = {"$PROBE_CACHE": cache_root(), "$PROBE": CHECKOUT, "~": Path.home()}
    found = [(f"{place}/", f"{name}/") for name, place in named.items() if len(place.parts) > 1]
    return sorted(found, key=lambda item: -len(item[0]))
