"""Purposes of an audit: operations of an operator, and the scenarios in which clients meet them. Standard library only.

Another purpose of `probe audit --for` is one row. Its scenarios are asked in the roles in which the baseline scores
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.errors import CatalogueError


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """An operation that an operator is about to do."""

    name: str
    """As `--for` has it."""
    title: str
    """The heading of its page on the site of evidence."""
    question: str
    """The question that is answered with yes or no."""
    scenarios: tuple[str, ...]
    """Names of the scenarios that clients meet meanwhile; the baseline scores each."""


PURPOSES: Mapping[str, Purpose] = MappingProxyType(
    {
        one.name: one
        for one in (
            Purpose(
                name="rolling",
                title="Before you roll your brokers",
                question="may I roll my brokers",
                scenarios=("broker/shutdown", "broker/rolling", "broker/kill"),
            ),
        )
    }
)
"""The purposes by name. A roll that goes wrong ends with a kill, so that it is asked, too."""


def purpose_of(name: str) -> Purpose:
    """Return a purpose. CatalogueError for an unknown name."""
    if name not in PURPOSES:
        raise CatalogueError(f"--for {name}: there is no such purpose; one of {', '.join(PURPOSES)}")
    return PURPOSES[name]
