"""The roles of a client: one row each. Code asks for a property; tables of functions have a row per role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.model.cell import Role
from probe.model.events import AppKind
from probe.model.paces import SELDOM, SHARED, TRANSACTIONS, Pace


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleInfo:
    """A role."""

    noun: str
    phrase: str
    """The clause with which sentences say in which role a client was tried."""
    writes: bool = False
    reads: bool = False
    """It receives records that others write."""
    member: bool = False
    """It is a member of a group, and tells brokers which records it is done with."""
    shares: bool = False
    """Its group is a share group (KIP-932): each record is accepted by itself, and no offset is committed."""
    transactional: bool = False
    """Its operations are transactions, which have a coordinator."""
    asks: bool = False
    """Its operations are an admin's questions, each with an answer."""
    chooses_acks: bool = False
    """Its application chooses the acknowledgements of each record, which has an outcome of its own."""
    has_group: bool = False
    """It names a group to brokers."""
    begins: AppKind = AppKind.SENT
    """The event with which an operation as a whole begins."""
    success: AppKind
    """The event of an operation that succeeded."""
    whole: AppKind
    """The same of the operation as a whole, where it has several parts."""
    work: tuple[str, ...]
    """The APIs whose success at the leader proves that the role works there."""
    needs: int = 3
    """Successes that make a recovery; those of operations that begin together are one."""
    commits: int = 0
    """Commits that belong to it."""
    interrupted: str = ""
    """The API of the request that an absence interrupts: a transaction is open, or a record under way. Empty = none."""
    busy: str = "handles one record"
    """The work of a busy application."""
    shared_pace: Pace = SHARED
    """Its pace on brokers that the trials of a cohort share."""
    core: bool = False
    """The core run plays it."""
    has_level: bool = True
    """Its scored scenarios make a level (docs/harm.md)."""
    counts_cost: bool = False
    """The cost of a failover is measured of it (docs/cost.md)."""


_WRITER = ("Produce",)
_READER = ("Fetch", "ShareFetch")

ROLES: Mapping[Role, RoleInfo] = MappingProxyType(
    {
        Role.PRODUCER: RoleInfo(
            noun="a producer",
            phrase="as a producer",
            writes=True,
            chooses_acks=True,
            success=AppKind.ACKED,
            whole=AppKind.ACKED,
            work=_WRITER,
            interrupted="Produce",
            core=True,
            counts_cost=True,
        ),
        Role.CONSUMER: RoleInfo(
            noun="a consumer",
            phrase="as a consumer of an assigned partition",
            reads=True,
            success=AppKind.RECEIVED,
            whole=AppKind.RECEIVED,
            work=_READER,
            core=True,
        ),
        Role.GROUP: RoleInfo(
            noun="a group member",
            phrase="as a member of a consumer group",
            reads=True,
            member=True,
            has_group=True,
            success=AppKind.RECEIVED,
            whole=AppKind.RECEIVED,
            work=_READER,
            commits=1,
        ),
        Role.TRANSACTIONAL: RoleInfo(
            noun="a transactional producer",
            phrase="as a transactional producer",
            writes=True,
            transactional=True,
            begins=AppKind.TXN_BEGUN,
            success=AppKind.ACKED,
            whole=AppKind.TXN_COMMITTED,
            work=_WRITER,
            needs=2,
            interrupted="Produce",
            busy="keeps a transaction open",
            shared_pace=TRANSACTIONS,
        ),
        Role.ADMIN: RoleInfo(
            noun="an admin client",
            phrase="as an admin client",
            asks=True,
            has_group=True,
            success=AppKind.LISTED,
            whole=AppKind.LISTED,
            work=("ListOffsets",),
            shared_pace=SELDOM,
            has_level=False,  # a person repeats an admin's failed call, so only `stops` is said
        ),
        Role.SHARE: RoleInfo(
            noun="a share consumer",
            phrase="as a member of a share group",
            reads=True,
            member=True,
            shares=True,
            has_group=True,
            success=AppKind.RECEIVED,
            whole=AppKind.RECEIVED,
            work=("ShareFetch",),
            commits=1,
            has_level=False,  # the list of 2026 was frozen before share groups, of which nothing is scored
        ),
    }
)
WRITERS = tuple(role for role, info in ROLES.items() if info.writes)
READERS = tuple(role for role, info in ROLES.items() if info.reads)
CORE_ROLES = tuple(role for role, info in ROLES.items() if info.core)
"""The roles of the core run, and of questions that name none."""
UNLEVELLED = frozenset(role for role, info in ROLES.items() if not info.has_level)
"""Roles without a level."""
