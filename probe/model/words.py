"""The words a scenario is described with."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How a fault shows itself on the client's side of the wire."""

    ANSWER = "answer"
    """A response carries an error code about the affected object."""
    CONNECTION = "connection"
    """An established connection is cut, or cannot be made."""
    SILENCE = "silence"
    """A request is received and never answered."""
    CHANGE = "change"
    """The right broker changes; whoever still asks the old one meets it."""
    NONE = "none"
    """Nothing is done."""


class Expects(StrEnum):
    """What a good client has to do about a fault."""

    DISCOVER = "discover"
    """The target moved: ask who serves it now, and go there."""
    RETRY = "retry"
    """The target stays and gets well: try again."""
    SURFACE = "surface"
    """The application must be told."""
    NOTHING = "nothing"
    """There is nothing to do."""


class Target(StrEnum):
    """Which broker a fault is about, from the client's point of view."""

    LEADER = "leader"
    COORDINATOR = "coordinator"
    CLUSTER = "cluster"
    NONE = "none"
