"""Questions of a link to the relay's part for its broker: which bytes wait, which pass, and where events go."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from probe.model import Event
from probe.relay.request_gate import Refuses

Link_contra = TypeVar("Link_contra", contravariant=True)


class LinkPolicy(Protocol[Link_contra]):
    """Rules for the links of a broker."""

    blackhole: bool
    """Whether bytes are dropped in both directions."""
    refuses: Refuses | None
    """Says on which requests the connection is reset; None = on none."""

    def delay_us(self, link: Link_contra, api: int) -> int:
        """Return the delay of an answer of this API, in microseconds."""

    def passing(self, link: Link_contra, api: int, size: int) -> int | None:
        """Return how many bytes of an answer of `size` bytes pass before its connection ends. None = all of them."""

    @property
    def delays(self) -> bool:
        """Whether any answer may be delayed or cut."""

    async def dial(self, side: asyncio.Protocol) -> None:
        """Connect `side` to the broker. Raises OSError, TimeoutError."""

    def emit(self, events: Iterable[Event]) -> None:
        """Report events."""

    def folds(self) -> None:
        """Report the counts of folded frames later; a link holds some."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background."""

    def ended(self, link: Link_contra) -> None:
        """Remove a link both of whose sides have ended."""

    def failed(self, error: OSError) -> None:
        """Report why the broker could not be reached."""
