"""The state of one object of one client, read event by event: signs of trouble, and the way back to work.

A sign is what the verdict calls a hit (docs/verdicts.md#hit): an error answer, a cut connection, silence. Recovered
means what it means there: successes that began after the last sign, and a second without another sign.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from probe.diagnose.fetch_pattern import LONG_POLL_US, Reads, Search
from probe.diagnose.membership import Commits, Membership
from probe.diagnose.proofs import COMMITS, needed, proves
from probe.diagnose.share_sessions import ShareSession
from probe.diagnose.spells import Question, Spell, Way
from probe.verdict.hits import SILENCE_US
from probe.verdict.recovery import QUIET_US
from probe.verdict.service import FRESH_US

STEADY = 2
"""Successes before a trouble that can show regular work."""
LATE_US = FRESH_US + SILENCE_US
"""A sign may come this long after the last success of regular work."""
CODES = 64
"""Different pairs of code, API and broker that are counted per trouble."""


class Sign(StrEnum):
    """The sign of a trouble on the wire."""

    ERROR = "error"
    CUT = "cut connection"
    SILENCE = "no answer"


@dataclass(slots=True)
class Tally:
    """The number of times something came, with the moments."""

    first: int
    last: int
    count: float = 0

    def add(self, at: int, weight: float = 1) -> None:
        """Count one more."""
        self.first, self.last = min(self.first, at), max(self.last, at)
        self.count += weight


@dataclass(slots=True)
class Trouble:
    """A trouble of a client with an object, from its first sign on."""

    since: int
    first: Sign
    broker: int
    """Number of the address at which it began."""
    last: int = 0
    """Time of the last sign."""
    last_broker: int = -1
    """Number of the address at which the last sign came."""
    sign: Sign = Sign.ERROR
    """The last sign."""
    api: int = -1
    """API of the last sign; -1 for a connection."""
    code: int = 0
    """Error code of the last sign."""
    errors: dict[tuple[int, int, int], Tally] = field(default_factory=dict)
    """By (code, API, address)."""
    cuts: int = 0
    silent: int = 0
    futile: float = 0
    """Requests since the first sign that were not answered well."""
    futile_bytes: float = 0
    good: int = 0
    """Successes since the last sign."""
    good_at: int | None = None
    """Time of the success that completes the recovery, if no sign comes in the second after it."""
    better: int = 0
    """Successes since the first sign."""
    moved_to: int | None = None
    """Number of the address that served it first since the last sign."""
    regular: bool = False
    """The client worked on the object at short intervals until the trouble began."""
    again: int = 0
    """Beginning of the current spell: the first sign since the client was last served."""
    answered: bool = False
    """Some sign of the current spell was an error answer."""
    way: Way = field(default_factory=Way)
    """The client's steps in the current spell."""
    served_at: int | None = None
    """Time of the first success since the last sign."""
    served_own: bool = False
    """A question that the client asked by itself led to it."""
    spells: list[Spell] = field(default_factory=list)
    """Spells that are over: the longest one, and the longest one that a question of the client's own did not end."""
    owed: bool = False
    """A commit was refused, and none has succeeded since."""
    recoveries: int = 0
    """Times that it was served again before the last sign."""

    def spell(self) -> Spell:
        """Return the current spell."""
        until = self.last if self.served_at is None else self.served_at
        served = self.served_at is not None
        own, recovered = self.served_own, None if self.owed else self.good_at
        return Spell(
            self.again, until, self.last, self.answered, own, self.last_broker, served, self.way.excused_at, recovered
        )

    def is_answer(self, question: Question, at: int, broker: int) -> bool:
        """Return whether a question that the client asked by itself led to a success at a broker."""
        way, silent = self.way, False
        if question.logged:
            silent = way.fell_silent(self.again, self.last, question.at)
        return not silent and way.is_own(self.again, question.at, at, moved=broker != self.last_broker)

    @property
    def longest(self) -> Spell:
        """Return the longest spell."""
        return max([self.spell(), *self.spells], key=lambda one: one.until - one.since)

    def begin_spell(self, at: int) -> None:
        """Begin a new spell with a sign, after the client was served."""
        known = [*self.spells, self.spell()]
        kept = [max(known, key=_length), max((one for one in known if not one.own), key=_length, default=None)]
        self.spells = list(dict.fromkeys(one for one in kept if one is not None))
        self.again, self.answered, self.way = at, False, Way()
        self.recoveries += 1

    def recovered_at(self, now: int) -> int | None:
        """Return when the client had recovered; None as long as it has not."""
        done = self.good_at is not None and not self.owed and now >= self.good_at + QUIET_US
        return self.good_at if done else None


@dataclass(slots=True)
class ItemState:
    """Observations of one client and one object."""

    successes: int = 0
    first_success: int | None = None
    last_success: int | None = None
    last_request: int | None = None
    requests: float = 0
    trouble: Trouble | None = None
    unanswerable: bool = False
    """Its requests ask for no answer (acks=0)."""
    reads: Reads | None = None
    """None as long as no fetch of it was answered well."""
    membership: Membership | None = None  # place in a group of the new protocols; None without a heartbeat of them
    commits: Commits | None = None  # for a group, answered well
    session: ShareSession | None = None  # the one that a broker refused last
    search: Search | None = None
    """The client's search for its place since it last fetched; None as long as there is none."""
    mismatch: str = ""
    """Why a client and a listener cannot speak with each other; empty = they can."""

    def add_sign(self, sign: Sign, at: int, broker: int, *, api: int = -1, code: int = 0, weight: float = 1) -> bool:
        """Note a sign. Return whether a trouble begins with it."""
        begins = self.trouble is None
        found = self.trouble
        if found is None:
            found = self.trouble = Trouble(since=at, first=sign, broker=broker, again=at, regular=self._is_regular(at))
        elif found.served_at is not None and not found.owed and at > found.served_at + QUIET_US:
            found.begin_spell(at)
            found.regular = self._is_regular(at)
        elif broker != found.last_broker:
            found.way.excused_at = at
        found.last, found.sign, found.api, found.code, found.last_broker = at, sign, api, code, broker
        found.good, found.good_at, found.moved_to = 0, None, None
        found.served_at, found.served_own = None, False
        match sign:
            case Sign.ERROR:
                found.answered, found.way.forced_at = True, None
                found.owed = found.owed or api in COMMITS
                key = (code, api, broker)
                if key in found.errors or len(found.errors) < CODES:
                    found.errors.setdefault(key, Tally(at, at)).add(at, weight)
            case Sign.CUT:
                found.cuts += 1
                found.way.forced_at = at
            case Sign.SILENCE:
                found.silent += 1
        return begins

    def joined(self, other: ItemState) -> ItemState:
        """Return what two names of one object show together; its trouble is the older one."""
        troubles = [one.trouble for one in (self, other) if one.trouble is not None]
        return ItemState(
            successes=self.successes + other.successes,
            first_success=_first(self.first_success, other.first_success),
            last_success=_last(self.last_success, other.last_success),
            last_request=_last(self.last_request, other.last_request),
            requests=self.requests + other.requests,
            trouble=min(troubles, key=lambda one: one.since, default=None),
            unanswerable=self.unanswerable or other.unanswerable,
            reads=self.reads or other.reads,
            membership=self.membership or other.membership,
            commits=self.commits or other.commits,
            session=self.session or other.session,
            search=self.search or other.search,
        )

    def _is_regular(self, at: int) -> bool:
        """Return whether successes came every two seconds (`FRESH_US`), or as often as long polls end, until now."""
        if self.first_success is None or self.last_success is None or self.successes < STEADY:
            return False
        waits = 0 if self.reads is None else LONG_POLL_US
        often = (self.last_success - self.first_success) <= max(FRESH_US, waits) * self.successes
        return often and at - self.last_success <= LATE_US + waits

    def add_success(
        self, asked: int, at: int, broker: int, api: int, weight: int = 1, *, question: Question | None = None
    ) -> None:
        """Note a success: a request of an API, sent at `asked`, was answered well at `at`.

        `question` is the last one of the client about who serves the object.
        """
        self.successes += weight
        self.last_success = at
        if self.first_success is None:
            self.first_success = at
        found = self.trouble
        if found is None:
            return
        found.better += weight
        if api in COMMITS:
            found.owed = False
        if asked <= found.last or not proves(found.api, api, fetched=self.reads is not None):
            return
        found.good += weight
        if found.served_at is None:
            found.served_at, found.moved_to = at, broker
            found.served_own = question is not None and found.is_answer(question, at, broker)
        if found.good_at is None and found.good >= needed(api):
            found.good_at = at


def _length(spell: Spell) -> int:
    return spell.until - spell.since


def _first(*times: int | None) -> int | None:
    return min((at for at in times if at is not None), default=None)


def _last(*times: int | None) -> int | None:
    return max((at for at in times if at is not None), default=None)
