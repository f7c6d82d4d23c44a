"""Facts about a client and one object at the end of an input: the input of the rules in `status`."""

from __future__ import annotations

from dataclasses import dataclass

from probe.diagnose.clients import ClientState
from probe.diagnose.objects import Item, Kind
from probe.diagnose.observation import Source
from probe.diagnose.spells import ANSWERED_US, JOINING_US, SILENT_US, TRIES
from probe.diagnose.troubles import ItemState, Sign, Trouble
from probe.protocol.names import api_slug, error_name
from probe.scenarios.error_answers import BY_CODE, ErrorClass
from probe.verdict.broker_delay import JOINS
from probe.verdict.recovery import QUIET_US
from probe.verdict.service import FRESH_US

WORKS_US = 5_000_000
"""A client works if its last success is not older; a fetch may wait for as long."""
ENDED_US = 3_000_000
"""A client without connections for this time has ended."""


@dataclass(frozen=True, slots=True)
class Case:
    """The input of the rules."""

    client: ClientState
    item: Item
    state: ItemState
    trouble: Trouble
    now: int
    elsewhere: str = ""
    """Why the client may work on the object where the input does not show it; empty if it shows all."""

    moved: bool = False
    """The broker that has served it since the last sign leads by the last answers, and did not refuse it."""

    @property
    def waited(self) -> int:
        """Return the time since the current spell began."""
        return self.now - self.trouble.again

    @property
    def idle(self) -> int:
        """Return the time since the last request about the object."""
        tried = self.trouble.way.tried_at
        last = self.client.last_request if self.item.kind is Kind.CLUSTER else tried
        return self.now - (last if last is not None else self.trouble.again)

    @property
    def patience(self) -> int:
        """Return how long a client may need for its way back."""
        if self.joins:
            return JOINING_US
        return ANSWERED_US if self.trouble.sign is Sign.ERROR else SILENT_US

    @property
    def tries(self) -> bool:
        """Return whether it goes on to be refused, up to the end of the input."""
        found = self.trouble
        often = (found.last - found.again) // max(1, found.way.tries)
        return found.good == 0 and found.way.tries >= TRIES and self.now - found.last <= max(FRESH_US, 2 * often)

    @property
    def joins(self) -> bool:
        """Return whether a member of a group waits for the answer to its request to join."""
        return self.item.kind is Kind.GROUP and any(one.api in JOINS for one in self.client.pending.values())

    @property
    def ended(self) -> bool:
        """Return whether the client ended all connections by itself, and made none since."""
        return self.client.closed and self.now - self.client.last_at >= ENDED_US

    @property
    def gone(self) -> bool:
        """Return whether the instance that met the sign may have ended, while others with its client id go on."""
        if not self.client.shared or self.item.kind is not Kind.PARTITION:
            return False
        return self.idle >= self.patience and (
            self.client.source is Source.LOG or not self.client.carries(self.item, self.trouble.api)
        )

    @property
    def final(self) -> bool:
        """Return whether the last answer is one that no other broker would mend."""
        known = BY_CODE.get((api_slug(self.trouble.api), self.trouble.code))
        return self.trouble.sign is Sign.ERROR and known is not None and known.kind is ErrorClass.FINAL

    @property
    def stopped(self) -> bool:
        """Return whether the client worked on the object regularly before, and does no more."""
        last = self.trouble.way.tried_at or 0
        served = self.trouble.good_at
        return self.trouble.regular and self.idle >= self.patience and (served is None or last <= served + QUIET_US)

    @property
    def open(self) -> bool:
        """Return whether the client still has connections, or sends requests about anything."""
        return bool(self.client.links) or self.now - self.client.last_request <= max(FRESH_US, self.patience)

    @property
    def joined(self) -> bool:
        """Return whether the client joined a group since: another member may have its partitions."""
        return self.item.kind is Kind.PARTITION and self.client.joined >= self.trouble.since

    @property
    def works(self) -> bool:
        """Return whether the client works on other objects, although some broker does not answer it."""
        last = max((state.last_success or 0 for state in self.client.items.values()), default=0)
        return self.item.kind is Kind.CLUSTER and self.trouble.better > 0 and self.now - last <= WORKS_US

    @property
    def met(self) -> str:
        """Return the last sign as words."""
        found = self.trouble
        return error_name(found.code) if found.sign is Sign.ERROR else str(found.sign)
