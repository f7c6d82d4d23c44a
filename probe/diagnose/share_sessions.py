"""Share sessions of a reader (KIP-932): a broker keeps one for each member, and counts its requests as epochs.

Epoch 0 begins a session and -1 ends it. A broker that restarted, or that ended the session with its connection, knows
it no more, and refuses the next request as a whole (ShareSessionCache and SharePartitionManager.java of Kafka 4.4.0).
"""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import Request, Response
from probe.protocol import apis
from probe.protocol.names import error_code

BEGINS = 0
LOST = frozenset({error_code("SHARE_SESSION_NOT_FOUND"), error_code("INVALID_SHARE_SESSION_EPOCH")})


@dataclass(slots=True)
class ShareSession:
    """The session in which a client asks for the records of one partition."""

    lost_at: int
    """Time of the first answer that refused it."""
    epoch: int | None
    """The epoch that it had sent; None where the input does not show it."""
    times: int = 1
    """Answers that refused it, until it began anew."""
    begun_at: int | None = None
    """Time of the answer by which it began anew; None = it did not."""

    def refused(self) -> None:
        """Note a further answer that refuses it."""
        self.times += 1


def noted(known: ShareSession | None, event: Response, asked: Request | None) -> ShareSession | None:
    """Return what is known of a session after an answer of a share API; None = nothing was lost."""
    epoch = None if asked is None else asked.session_epoch
    if event.code in LOST:
        if known is not None and known.begun_at is None:
            known.refused()
            return known
        return ShareSession(event.at, epoch)
    if known is not None and known.begun_at is None and epoch == BEGINS and not event.code:
        known.begun_at = event.at
    return known


def session_text(one: ShareSession, since: int) -> str:
    """Return how a session was lost in a trouble that began at `since`, as a clause; empty if none was."""
    if one.lost_at < since:
        return ""
    lost = "its share session was refused" + ("" if one.epoch is None else f" at epoch {one.epoch}")
    if one.begun_at is None:
        return f"{lost}, and it began no other"
    return f"{lost}, and it began another after {(one.begun_at - one.lost_at) / 1e6:.1f} s"


def carries_shares(sides: set[frozenset[int]]) -> bool:
    """Return whether a connection carries requests for records of share groups."""
    return any(apis.SHARE_FETCH in side for side in sides)
