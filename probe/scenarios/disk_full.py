"""The disk that holds the partition is full.

What the brokers do: no space left on device (ENOSPC) is an I/O error like any other: the log dir goes offline and its
leaders move. The old broker answers KAFKA_STORAGE_ERROR (56) until it is restarted, also when there is space again.
The error a client meets: 56 on Produce, Fetch, ListOffsets, OffsetForLeaderEpoch; 6 for the old request versions that
get 6 in the place of 56.
What a good client does: asks for metadata because of the error, and goes to the new leader.
Source: KIP-112; LogDirFailureChannel does not distinguish a full disk from a dead one.
Not covered: quotas of the file system; a disk that fills while the broker recovers its logs.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import BreakLogDir

SCENARIO = Scenario(
    name="disk/full",
    story=__doc__,
    engines=(Engine.KAFKA,),
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(56, 6, 7),
                prompt_ms=3000,
                watch_ms=10000,
            ),
            steps=(BreakLogDir(full=True),),
        ),
    ),
)
