"""Acknowledged records that trials lost, in words. Pure.

With acks=1 a leader acknowledges what no other replica has: a record may be lost in a planned move, and no outcome says
so, since the library keeps what it promises with that setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.model.cell import Role
from probe.model.columns import Facts
from probe.model.counts import counted
from probe.model.roles import WRITERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Losses in the trials of a cell."""

    lost: int
    """Acknowledged records that the read-back of the worst trial did not find."""
    acked: int | None
    """Records that were acknowledged in that trial."""
    trials: int
    """Trials that lost some."""
    of: int
    """All trials."""

    def __str__(self) -> str:
        """Return it in words: `40 of 2,920 acknowledged records lost`, with the share of several trials."""
        known = f" of {self.acked:,}" if self.acked is not None else ""
        records = f"{self.lost:,}{known} acknowledged {'record' if (self.acked or self.lost) == 1 else 'records'} lost"
        if self.of == 1:
            return records
        most = "at most " if self.trials > 1 else ""
        return f"{most}{records} in {self.trials} of {counted(self.of, 'trial')}"


def loss_of(role: Role, facts: Sequence[Facts]) -> Loss | None:
    """Return what the trials of a role lost, from the facts of each; None if nothing, or if it does not write."""
    losing = [item for item in facts if item.lost]
    if role not in WRITERS or not losing:
        return None
    worst = max(losing, key=lambda item: item.lost or 0)
    return Loss(lost=worst.lost or 0, acked=worst.acked, trials=len(losing), of=len(facts))
