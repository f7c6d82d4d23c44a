"""Bodies to rows: which function reads which API. Bodies of other APIs are not read."""

from __future__ import annotations

from probe.protocol import coordinators, leaders
from probe.protocol.rows import Answer, Question

_GROUP, _TXN = coordinators.ask_key("GroupId"), coordinators.ask_key("TransactionalId")

QUESTIONS: dict[int, Question] = {
    0: leaders.ask_produce,  # Produce
    1: leaders.ask_fetch,  # Fetch
    2: leaders.ask_list_offsets,  # ListOffsets
    3: leaders.ask_metadata,  # Metadata
    8: coordinators.ask_commit,  # OffsetCommit
    9: coordinators.ask_committed,  # OffsetFetch
    10: coordinators.ask_coordinator,  # FindCoordinator
    11: _GROUP,  # JoinGroup
    12: _GROUP,  # Heartbeat
    13: _GROUP,  # LeaveGroup
    14: _GROUP,  # SyncGroup
    22: _TXN,  # InitProducerId
    23: leaders.ask_epochs,  # OffsetForLeaderEpoch
    24: coordinators.ask_add_partitions,  # AddPartitionsToTxn
    25: _TXN,  # AddOffsetsToTxn
    26: _TXN,  # EndTxn
    28: coordinators.ask_commit,  # TxnOffsetCommit
    68: _GROUP,  # ConsumerGroupHeartbeat
}
"""API key to what reads its requests."""

ANSWERS: dict[int, Answer] = {
    0: leaders.answer_produce,  # Produce
    1: leaders.answer_fetch,  # Fetch
    2: leaders.answer_list_offsets,  # ListOffsets
    3: leaders.answer_metadata,  # Metadata
    8: coordinators.answer_commit,  # OffsetCommit
    9: coordinators.answer_committed,  # OffsetFetch
    10: coordinators.answer_coordinator,  # FindCoordinator
    11: coordinators.answer_key,  # JoinGroup
    12: coordinators.answer_key,  # Heartbeat
    13: coordinators.answer_key,  # LeaveGroup
    14: coordinators.answer_key,  # SyncGroup
    18: coordinators.answer_code,  # ApiVersions
    19: leaders.answer_create_topics,  # CreateTopics
    22: coordinators.answer_key,  # InitProducerId
    23: leaders.answer_epochs,  # OffsetForLeaderEpoch
    24: coordinators.answer_add_partitions,  # AddPartitionsToTxn
    25: coordinators.answer_key,  # AddOffsetsToTxn
    26: coordinators.answer_key,  # EndTxn
    28: coordinators.answer_commit,  # TxnOffsetCommit
    68: coordinators.answer_key,  # ConsumerGroupHeartbeat
}
"""API key to what reads its responses."""
