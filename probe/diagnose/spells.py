"""Spells of a trouble: the time from a sign until the client is served again. What it does then ends the spell.

A spell in which the bounds of `stuck` were met is kept with what ended it (docs/diagnose.md#what-it-says).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from probe.diagnose.proofs import side

ANSWERED_US = 9_000_000
"""Patience with error answers: the scenarios' watch of 10 s, less the second in which the first answer comes."""
SILENT_US = 30_000_000
"""Patience with cut connections and silence: the request timeout that most clients have."""
JOINING_US = 60_000_000
"""Patience with a member that waits to join its group."""
FORCED_US = 5_000_000
"""A client that asks within this time after a connection ended is taken to ask because of that."""
TRIES = 3
"""Requests that are refused and show that a client goes on to try."""
PROMPT_US = 5_000_000
"""A client that is served where it was refused, this soon after it asked, is taken to be served because it asked."""


class Question(NamedTuple):
    """A client asked who serves an object."""

    at: int
    logged: bool
    """Seen in a request log, which shows no ends of connections."""


@dataclass(frozen=True, slots=True)
class Spell:
    """A time without a success that shows that the client works."""

    since: int
    until: int
    """Time of the first success after it; of the last sign, if there was none."""
    last: int
    """Time of the last sign in it."""
    answered: bool
    """Some of its signs were error answers."""
    own: bool
    """A question that the client asked by itself ended it."""
    broker: int
    """Number of the address at which the last sign came."""
    served: bool
    """A success ended it."""
    excused: int = 0
    """Time up to which the client was sent back and forth: see `Way.excused_at`."""
    recovered: int | None = None
    """Time of the success that completed the recovery; None where too few came."""

    @property
    def patience(self) -> int:
        """Return how long a client may need for its way back."""
        return ANSWERED_US if self.answered else SILENT_US

    def is_stuck(self, *, regular: bool, joins: bool, whole: bool) -> bool:
        """Return whether the bounds of `stuck` were met, and the client's own question did not end it.

        `regular`: the client worked until the trouble began, so that silence is no lack of work. `joins`: it waited to
        join its group. `whole`: all that it asked is in the input; else it takes twice as long.
        """
        patience = (JOINING_US if joins else self.patience) * (1 if whole else 2)
        since = max(self.since, self.excused)
        tried = self.last - since >= patience
        return not self.own and self.until - since >= patience and (tried or (regular and self.served))


@dataclass(slots=True)
class Way:
    """The client's steps during a spell to get out of it."""

    forced_at: int | None = None
    """Time at which a connection that carried work about the object last ended, since the last error answer."""
    excused_at: int = 0
    """Time at which an answer last named the broker that refuses the client or nobody, or another broker refused it: it
    did what answers said, and nobody served the object."""
    tries: int = 0
    """Requests about the object, of the kind that met the sign."""
    tried_at: int | None = None
    """Time of the last one."""

    def attempt(self, met: int, api: int, at: int) -> None:
        """Note a request about the object. `met` is the API that met the last sign."""
        mine = side(met)
        if not mine or api in mine:
            self.tries, self.tried_at = self.tries + 1, at

    def fell_silent(self, since: int, last: int, asked_at: int) -> bool:
        """Return whether its tries had ended before it asked, as those on a connection that is lost do.

        A request log shows no ends of connections. `since` is the beginning of the spell, `last` the last sign.
        """
        return self.tries >= TRIES and asked_at - last > 2 * (last - since) // self.tries

    def is_own(self, since: int, asked_at: int, at: int, *, moved: bool) -> bool:
        """Return whether a question that the client asked by itself led to its success at a time.

        `since` is the beginning of the spell, `asked_at` the time of its last question; `moved`: another broker serves
        it than the one that refused it.
        """
        if asked_at < since:
            return False
        forced = self.forced_at is not None and asked_at - self.forced_at <= FORCED_US
        return not forced and (moved or at - asked_at <= PROMPT_US)
