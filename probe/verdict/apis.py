"""The API keys and error codes that the rules use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from probe.model import Role, Target
from probe.model.roles import ROLES
from probe.protocol import apis
from probe.protocol.api_table import AnsweredBy, keys
from probe.protocol.names import api_key


def _keys(*names: str) -> frozenset[int]:
    return frozenset(api_key(name) for name in names)


PRODUCE, FETCH, METADATA = apis.PRODUCE, apis.FETCH, apis.METADATA
SHARE_FETCH, SHARE_ACKNOWLEDGE = apis.SHARE_FETCH, apis.SHARE_ACKNOWLEDGE
DESCRIBE_CLUSTER = apis.DESCRIBE_CLUSTER
FIND_COORDINATOR, JOIN_GROUP, OFFSET_COMMIT = apis.FIND_COORDINATOR, apis.JOIN_GROUP, apis.OFFSET_COMMIT
EPOCHS, TXN_OFFSET_COMMIT = apis.OFFSET_FOR_LEADER_EPOCH, apis.TXN_OFFSET_COMMIT

HANDSHAKE = frozenset(apis.HANDSHAKE_APIS)
DISCOVERY = frozenset(apis.DISCOVERY_APIS)
LOG_IN = frozenset(apis.SASL_APIS)

LED = frozenset(keys(lambda api: api.judged and api.by is AnsweredBy.LEADER))
"""APIs that only the leader of a partition can serve."""
COORDINATED = frozenset(keys(lambda api: api.judged and api.by is AnsweredBy.COORDINATOR))
"""APIs that only the coordinator of a group or transactional id can serve."""

CONTROLLED = frozenset(apis.CONTROLLER_APIS)
"""APIs that only the controller can serve."""
WORK: Mapping[Target, frozenset[int]] = {Target.COORDINATOR: COORDINATED, Target.CONTROLLER: CONTROLLED}

BENIGN = frozenset({9, 27, 79})
"""REPLICA_NOT_AVAILABLE in Metadata, REBALANCE_IN_PROGRESS, MEMBER_ID_REQUIRED: normal steps of the protocol, not
failures."""


@cache
def proving(role: Role) -> frozenset[int]:
    """Return the APIs whose success at the leader proves that a role works there."""
    return _keys(*ROLES[role].work)


def work(target: Target) -> frozenset[int]:
    """Return the APIs that only the target can serve."""
    return WORK.get(target, LED)


def main(target: Target, role: Role) -> frozenset[int]:
    """Return the APIs whose success at the target proves that a role works there."""
    return WORK.get(target, proving(role))
