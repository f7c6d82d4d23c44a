"""The table of APIs gives each of its readers the set that it had as a list of its own."""

from __future__ import annotations

import pytest

from probe.protocol import apis, handshake
from probe.protocol.api_table import APIS, AnsweredBy, CoordinatorKind
from probe.protocol.names import api_key
from probe.verdict import apis as judged

GROUPS = (
    "OffsetCommit OffsetFetch JoinGroup Heartbeat LeaveGroup SyncGroup TxnOffsetCommit ConsumerGroupHeartbeat "
    "ShareGroupHeartbeat"
)
TRANSACTIONS = "InitProducerId AddPartitionsToTxn AddOffsetsToTxn EndTxn"
SETS = {
    "SASL_APIS": (apis.SASL_APIS, "SaslHandshake SaslAuthenticate"),
    "HANDSHAKE_APIS": (
        apis.HANDSHAKE_APIS,
        "ApiVersions SaslHandshake SaslAuthenticate GetTelemetrySubscriptions PushTelemetry",
    ),
    "DISCOVERY_APIS": (apis.DISCOVERY_APIS, "Metadata FindCoordinator"),
    "CONTROLLER_APIS": (apis.CONTROLLER_APIS, "CreateTopics DeleteTopics CreatePartitions"),
    "LOG_APIS": (apis.LOG_APIS, "Produce Fetch ListOffsets OffsetForLeaderEpoch ShareFetch ShareAcknowledge"),
    "GROUP_APIS": (apis.GROUP_APIS, GROUPS),
    "TXN_APIS": (apis.TXN_APIS, TRANSACTIONS),
    "LED": (judged.LED, "Produce Fetch ListOffsets DeleteRecords OffsetForLeaderEpoch ShareFetch ShareAcknowledge"),
    "COORDINATED": (
        judged.COORDINATED,
        f"{GROUPS} {TRANSACTIONS} DescribeGroups DeleteGroups ConsumerGroupDescribe StreamsGroupHeartbeat",
    ),
    "fetching": (handshake._FETCHING, "Fetch ShareFetch ShareAcknowledge"),  # a set of the table
    "coordinating": (
        handshake._COORDINATING,
        f"{GROUPS} AddPartitionsToTxn AddOffsetsToTxn EndTxn StreamsGroupHeartbeat",
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_sets_of_the_table_are_those_of_its_readers(name: str) -> None:
    found, wanted = SETS[name]
    assert len(found) == len(set(found))
    assert set(found) == {api_key(one) for one in wanted.split()}


def test_apis_of_a_log_come_in_the_order_in_which_faults_name_them() -> None:
    names = "Produce Fetch ListOffsets OffsetForLeaderEpoch ShareFetch ShareAcknowledge"
    assert tuple(map(api_key, names.split())) == apis.LOG_APIS
    assert list(apis.COORDINATOR_APIS) == sorted((*apis.GROUP_APIS, *apis.TXN_APIS))


def test_each_api_has_one_row_and_what_differs_has_a_reason() -> None:
    assert len({info.key for info in APIS}) == len(APIS)
    for info in APIS:
        assert (info.kind is None) is (info.by is not AnsweredBy.COORDINATOR), info.name
        assert bool(info.apart) is not (info.rules and info.judged), info.name


def test_key_types_are_those_of_find_coordinator() -> None:
    assert [(kind.name, kind.value) for kind in CoordinatorKind] == [("GROUP", 0), ("TRANSACTION", 1), ("SHARE", 2)]
