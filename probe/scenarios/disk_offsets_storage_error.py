"""The disk that holds the coordinator's log (__consumer_offsets or __transaction_state) dies.

What the brokers do: the partition of the internal topic gets another leader, which loads it and coordinates. The old
coordinator can no longer write commits. It answers NOT_COORDINATOR (16), whereas for a partition of the client's topic
it would answer 56. The new one answers COORDINATOR_LOAD_IN_PROGRESS (14) at first.
The error a client meets: 16 on OffsetCommit, Heartbeat and the other group APIs, or on AddPartitionsToTxn and EndTxn;
15 where it asks meanwhile; 14.
What a good client does: asks FindCoordinator because of the error and continues its group or its transaction.
Source: KIP-112; GroupMetadataManager.storeOffsets translates KAFKA_STORAGE_ERROR to NOT_COORDINATOR.
Not covered: partitions of the client's own topics on the same disk; here they are on other disks (disk/storage-error).
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import BreakLogDir, Held

SCENARIO = Scenario(
    name="disk/offsets-storage-error",
    story=__doc__,
    engines=(Engine.KAFKA,),
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(
        RoleVariant(
            roles=(Role.GROUP, Role.TRANSACTIONAL),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.COORDINATOR,
                codes=(16, 15, 14, 56),
                prompt_ms=5000,
                watch_ms=20000,
            ),
            steps=(BreakLogDir(holds=Held.COORDINATOR),),
            whole_broker=True,
        ),
    ),
)
