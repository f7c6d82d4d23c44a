"""The functions that convert bodies to rows, by API. Bodies of other APIs are not read."""

from __future__ import annotations

from probe.protocol import apis, coordinators, leaders
from probe.protocol.rows import Answer, Question

_GROUP, _TXN = coordinators.ask_key("GroupId"), coordinators.ask_key("TransactionalId")

QUESTIONS: dict[int, Question] = {
    apis.PRODUCE: leaders.ask_produce,
    apis.FETCH: leaders.ask_fetch,
    apis.LIST_OFFSETS: leaders.ask_list_offsets,
    apis.METADATA: leaders.ask_metadata,
    apis.OFFSET_COMMIT: coordinators.ask_commit,
    apis.OFFSET_FETCH: coordinators.ask_committed,
    apis.FIND_COORDINATOR: coordinators.ask_coordinator,
    apis.JOIN_GROUP: _GROUP,
    apis.HEARTBEAT: _GROUP,
    apis.LEAVE_GROUP: _GROUP,
    apis.SYNC_GROUP: _GROUP,
    apis.INIT_PRODUCER_ID: _TXN,
    apis.OFFSET_FOR_LEADER_EPOCH: leaders.ask_epochs,
    apis.ADD_PARTITIONS_TO_TXN: coordinators.ask_add_partitions,
    apis.ADD_OFFSETS_TO_TXN: _TXN,
    apis.END_TXN: _TXN,
    apis.TXN_OFFSET_COMMIT: coordinators.ask_commit,
    apis.CONSUMER_GROUP_HEARTBEAT: coordinators.ask_membership,
    apis.SHARE_GROUP_HEARTBEAT: coordinators.ask_membership,
    apis.STREAMS_GROUP_HEARTBEAT: coordinators.ask_membership,
    apis.SHARE_FETCH: leaders.ask_share,
    apis.SHARE_ACKNOWLEDGE: leaders.ask_share,
}
"""API key to the function that reads its requests."""

ANSWERS: dict[int, Answer] = {
    apis.PRODUCE: leaders.answer_produce,
    apis.FETCH: leaders.answer_fetch,
    apis.LIST_OFFSETS: leaders.answer_list_offsets,
    apis.METADATA: leaders.answer_metadata,
    apis.OFFSET_COMMIT: coordinators.answer_commit,
    apis.OFFSET_FETCH: coordinators.answer_committed,
    apis.FIND_COORDINATOR: coordinators.answer_coordinator,
    apis.JOIN_GROUP: coordinators.answer_key,
    apis.HEARTBEAT: coordinators.answer_key,
    apis.LEAVE_GROUP: coordinators.answer_key,
    apis.SYNC_GROUP: coordinators.answer_key,
    apis.API_VERSIONS: coordinators.answer_code,
    apis.CREATE_TOPICS: leaders.answer_create_topics,
    apis.DESCRIBE_CLUSTER: leaders.answer_describe_cluster,
    apis.INIT_PRODUCER_ID: coordinators.answer_key,
    apis.OFFSET_FOR_LEADER_EPOCH: leaders.answer_epochs,
    apis.ADD_PARTITIONS_TO_TXN: coordinators.answer_add_partitions,
    apis.ADD_OFFSETS_TO_TXN: coordinators.answer_key,
    apis.END_TXN: coordinators.answer_key,
    apis.TXN_OFFSET_COMMIT: coordinators.answer_commit,
    apis.CONSUMER_GROUP_HEARTBEAT: coordinators.answer_membership,
    apis.SHARE_GROUP_HEARTBEAT: coordinators.answer_membership,
    apis.STREAMS_GROUP_HEARTBEAT: coordinators.answer_membership,
    apis.SHARE_FETCH: leaders.answer_share,
    apis.SHARE_ACKNOWLEDGE: leaders.answer_share,
    apis.SASL_HANDSHAKE: coordinators.answer_code,
    apis.SASL_AUTHENTICATE: coordinators.answer_code,
}
"""API key to the function that reads its responses."""
