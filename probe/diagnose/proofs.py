"""Which successes show that a client works again that met a sign of trouble (pure)."""

from __future__ import annotations

from collections.abc import Mapping

from probe.model import Role
from probe.protocol import apis
from probe.verdict.apis import COORDINATED, DISCOVERY, HANDSHAKE, LED
from probe.verdict.recovery import COMMIT, OPERATION, needs

COMMITS = frozenset({apis.OFFSET_COMMIT, apis.TXN_OFFSET_COMMIT})
OFFSETS = frozenset({apis.OFFSET_FETCH, apis.SYNC_GROUP}) | COMMITS
"""APIs whose success shows that a member has its place in its partitions, or another assignment."""
READS = frozenset({apis.LIST_OFFSETS, apis.OFFSET_FOR_LEADER_EPOCH, apis.FETCH})
"""APIs of a reader: its next fetch shows that it works again."""
LOG_WORK = frozenset({apis.PRODUCE, apis.FETCH, apis.SHARE_FETCH})
"""APIs that write records or ask for them."""
SHARES = frozenset({apis.SHARE_FETCH, apis.SHARE_ACKNOWLEDGE})
"""APIs of a reader of a share group (KIP-932)."""
FETCHES = frozenset({apis.FETCH, apis.SHARE_FETCH})
"""APIs that may wait for records."""
STEPS: Mapping[int, frozenset[int]] = {
    apis.METADATA: frozenset({9}),
    apis.JOIN_GROUP: frozenset({27, 79}),
    **dict.fromkeys((apis.SYNC_GROUP, apis.HEARTBEAT, apis.OFFSET_COMMIT, apis.TXN_OFFSET_COMMIT), frozenset({27})),
}
"""Codes that are a normal step of an API: REPLICA_NOT_AVAILABLE beside a leader, REBALANCE_IN_PROGRESS and
MEMBER_ID_REQUIRED. They are no sign of trouble, and no success. Any other code, known or not, is an error."""


def is_bad(api: int, code: int) -> bool:
    """Return whether a code in an answer is a sign of trouble."""
    return code != 0 and code not in STEPS.get(api, ())


SIDES = (frozenset({apis.PRODUCE}), READS, SHARES)
"""APIs of partitions by what a client is: a writer, a reader, a reader of a share group."""


def side(api: int) -> frozenset[int]:
    """Return the APIs that one instance of a client sends about a partition beside this one; empty for any other."""
    return next((some for some in SIDES if api in some), frozenset())


def proves(met: int, api: int, *, fetched: bool = False) -> bool:
    """Return whether a success of an API shows that a client works again that met a sign in the API `met`.

    A reader works only when it fetches again, if it had ever fetched: some look for their place for ever.
    """
    if fetched and api in READS and api != apis.FETCH:
        return False
    if met in DISCOVERY or met in HANDSHAKE or met < 0:
        return True
    for some in (COMMITS, READS, SHARES):
        if met in some:
            return api in some
    if met == apis.OFFSET_FETCH:
        return api in OFFSETS
    return api == met if met in LED else api in COORDINATED


def needed(api: int) -> int:
    """Return how many successes of an API make a recovery (docs/verdicts.md#recovered)."""
    if api in COMMITS:
        return needs(Role.GROUP)[COMMIT]
    if api == apis.SHARE_GROUP_HEARTBEAT:
        return 1  # the coordinator's word that it is a member, each five seconds, and all that it does there
    if api in COORDINATED:
        return needs(Role.TRANSACTIONAL)[OPERATION]
    return needs(Role.PRODUCER)[OPERATION]
