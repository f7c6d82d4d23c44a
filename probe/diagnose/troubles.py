"""The state of one object of one client, read event by event: signs of trouble, and the way back to work.

A sign is what the verdict calls a hit (docs/verdicts.md#hit): an error answer, a cut connection, silence. Recovered
means what it means there: successes that began after the last sign, and a second without another sign.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from probe.model import Role
from probe.protocol import apis
from probe.verdict.apis import COORDINATED, DISCOVERY, HANDSHAKE, LED
from probe.verdict.hits import SILENCE_US
from probe.verdict.recovery import COMMIT, NEEDS, OPERATION, QUIET_US
from probe.verdict.service import FRESH_US

COMMITS = frozenset({apis.OFFSET_COMMIT, apis.TXN_OFFSET_COMMIT})
READS = frozenset({apis.LIST_OFFSETS, apis.OFFSET_FOR_LEADER_EPOCH, apis.FETCH})
"""APIs of a reader: its next fetch shows that it works again."""
STEADY = 2
"""Successes before a trouble that can show regular work."""
LATE_US = FRESH_US + SILENCE_US
"""A sign may come this long after the last success of regular work."""
CODES = 64
"""Different pairs of code, API and broker that are counted per trouble."""


class Sign(StrEnum):
    """How a trouble shows on the wire."""

    ERROR = "error"
    CUT = "cut connection"
    SILENCE = "no answer"


@dataclass(slots=True)
class Tally:
    """How often something came, and when."""

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
    """Time of the first sign since the client had last recovered; `since` if it never had."""
    owed: bool = False
    """A commit was refused, and none has succeeded since."""
    recoveries: int = 0
    """Times that it had recovered before the last sign."""

    def recovered_at(self, now: int) -> int | None:
        """Return when the client had recovered; None as long as it has not."""
        done = self.good_at is not None and not self.owed and now >= self.good_at + QUIET_US
        return self.good_at if done else None


@dataclass(slots=True)
class ItemState:
    """What was seen of one client and one object."""

    successes: int = 0
    first_success: int | None = None
    last_success: int | None = None
    last_request: int | None = None
    requests: float = 0
    trouble: Trouble | None = None
    unanswerable: bool = False
    """Its requests ask for no answer (acks=0)."""
    fetched: bool = False
    """Some fetch of it was answered well."""
    mismatch: str = ""
    """Why a client and a listener cannot speak with each other; empty = they can."""

    def add_sign(self, sign: Sign, at: int, broker: int, *, api: int = -1, code: int = 0, weight: float = 1) -> bool:
        """Note a sign. Return whether a trouble begins with it."""
        begins = self.trouble is None
        found = self.trouble
        if found is None:
            found = self.trouble = Trouble(since=at, first=sign, broker=broker, again=at, regular=self._is_regular(at))
        elif found.recovered_at(at) is not None:
            found.recoveries, found.again = found.recoveries + 1, at
        found.last, found.sign, found.api, found.code = at, sign, api, code
        found.good, found.good_at, found.moved_to = 0, None, None
        match sign:
            case Sign.ERROR:
                found.owed = found.owed or api in COMMITS
                key = (code, api, broker)
                if key in found.errors or len(found.errors) < CODES:
                    found.errors.setdefault(key, Tally(at, at)).add(at, weight)
            case Sign.CUT:
                found.cuts += 1
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
        )

    def _is_regular(self, at: int) -> bool:
        """Return whether successes came at intervals of two seconds at most (`FRESH_US`), until now."""
        if self.first_success is None or self.last_success is None or self.successes < STEADY:
            return False
        often = (self.last_success - self.first_success) <= FRESH_US * self.successes
        return often and at - self.last_success <= LATE_US

    def add_success(self, asked: int, at: int, broker: int, api: int, weight: int = 1) -> None:
        """Note a success: a request of an API, sent at `asked`, was answered well at `at`."""
        self.successes += weight
        self.last_success = at
        self.fetched = self.fetched or api == apis.FETCH
        if self.first_success is None:
            self.first_success = at
        found = self.trouble
        if found is None:
            return
        found.better += weight
        if api in COMMITS:
            found.owed = False
        if asked <= found.last or not proves(found.api, api, fetched=self.fetched):
            return
        found.good += weight
        if found.moved_to is None:
            found.moved_to = broker
        if found.good_at is None and found.good >= needed(api):
            found.good_at = at


def _first(*times: int | None) -> int | None:
    return min((at for at in times if at is not None), default=None)


def _last(*times: int | None) -> int | None:
    return max((at for at in times if at is not None), default=None)


def proves(met: int, api: int, *, fetched: bool = False) -> bool:
    """Return whether a success of an API shows that a client works again that met a sign in the API `met`.

    A reader works only when it fetches again, if it had ever fetched: some look for their place for ever.
    """
    if fetched and api in READS and api != apis.FETCH:
        return False
    if met in COMMITS:
        return api in COMMITS
    if met in READS:
        return api == met or api in READS
    if met in LED:
        return api == met
    if met in DISCOVERY or met in HANDSHAKE or met < 0:
        return True
    return api in COORDINATED


def needed(api: int) -> int:
    """Return how many successes of an API make a recovery (docs/verdicts.md#recovered)."""
    if api in COMMITS:
        return NEEDS[Role.GROUP][COMMIT]
    if api in COORDINATED:
        return NEEDS[Role.TRANSACTIONAL][OPERATION]
    return NEEDS[Role.PRODUCER][OPERATION]
