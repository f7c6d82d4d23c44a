"""The promise that a bundle checks: what must and what must not happen after the fault."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from probe.bundle.faults import Fault, Network
from probe.model import Outcome, Reaction, Role
from probe.model.counts import counted
from probe.model.roles import ROLES

BACK_S = 8
"""Longest silence that a client may need once brokers serve: back-offs, a rebalance, the next heartbeat."""
LATE_S = 20
"""Added where the version that passes may be late."""
OWN_TIMEOUT_S = 30
"""Longest request timeout by default of the libraries with a template; who meets silence may wait for it first."""
BEYOND_S = 6
"""Time for which a client is watched beyond the longest silence allowed."""


@dataclass(frozen=True, slots=True)
class Promise:
    """The behaviour that a fault asks of a client, with its limits."""

    gap_s: int
    """Longest time without a record acknowledged or received, from the fault on."""
    watch_s: int
    """Time for which the client is watched."""
    is_quiet: bool = False
    """No error may reach the application."""
    in_order: bool = False
    """A reader gets each offset once, in order."""

    def must(self, role: Role) -> str:
        """Return what must happen, in a sentence."""
        what = "acknowledged" if ROLES[role].writes else "received"
        return f"from the fault on a record is {what} at least every {counted(self.gap_s, 'second')}"

    def must_not(self, role: Role) -> str:
        """Return what must not happen, in a sentence."""
        found = {
            f"the {role} stands still": True,
            "an error reaches the application": self.is_quiet,
            "an offset is skipped or read twice": self.in_order,
        }
        return " or ".join(text for text, is_so in found.items() if is_so)


def promise_of(
    fault: Fault, role: Role, bad: Collection[Outcome], good: Collection[Outcome], expects: Reaction
) -> Promise:
    """Return the promise that a client with one of the outcomes `bad` breaks, and one with those of `good` keeps.

    `expects` decides where no outcome is known: a client that only has to try again hands out no error.
    """
    longest = max(fault.moves_ms or 0, fault.heals_ms or 0) / 1000
    gap_s = BACK_S + round(longest) + (OWN_TIMEOUT_S if fault.network is Network.HOLD else 0)
    gap_s += LATE_S if Outcome.LATE in good else 0
    is_quiet = Outcome.SURFACES in bad or (not bad and expects is Reaction.RETRY)
    in_order = ROLES[role].reads and Outcome.VIOLATES in bad
    return Promise(gap_s, gap_s + BEYOND_S, is_quiet, in_order)
