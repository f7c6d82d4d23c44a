"""The identity of a client, as the analysis asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.model.handshake import Handshake


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library with the range of its versions, as far as the wire shows them."""

    family: str = ""
    """Family of the catalogue; empty = not known."""
    versions: tuple[str, ...] = ()
    """Listed versions that it may be, the oldest first; empty = any."""
    text: str = ""
    """The same in words, such as `sarama, a version before 1.43.3`."""
    sure: str = ""
    """The certainty of it."""
    reported: str = ""
    """Name and version that the client itself reports (KIP-511); empty = none."""
    note: str = ""
    """Contradictions to it."""


NOBODY = Library()


class Whose(Protocol):
    """Names the library of a client."""

    def __call__(
        self, handshakes: Sequence[Handshake], began: frozenset[int], reported: tuple[str, str] | None
    ) -> Library | None:
        """Return the library by what connections sent first.

        `began` has the connections (`conn`) whose beginning was seen; `reported` is what a request log says that the
        client reported.
        """
        ...
