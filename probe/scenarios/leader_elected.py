"""Another replica is elected leader; the old leader stays in sync and follows.

What the brokers do: a preferred election moves leadership; every broker knows within tens of milliseconds.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) on Produce and on Fetch up to v10. On Fetch from v11 without an
epoch the old leader serves data and there is no error (KIP-392); with a stale epoch FENCED_LEADER_EPOCH (74). Release
lines from 3.7 on name the new leader in that answer (KIP-951).
What a good client does: asks for metadata because of the error and follows; a consumer may stay where it is served.
Source: Kafka's ReplicaManager and Partition (observed on 3.9.2); KIP-320, KIP-392.
Not covered: clients that only follow hints (leader/hinted delays Metadata); a slow election (leader/election-slow).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.share_variants import of_share_groups
from probe.scenarios.steps.partitions import MoveLeader

VARIANT = RoleVariant(
    roles=CLIENT_ROLES,
    expectation=expect(
        Symptom.CHANGE, Reaction.DISCOVER, target=Target.LEADER, codes=(6, 74), prompt_ms=3000, watch_ms=10000
    ),
    steps=(MoveLeader(),),
)

SCENARIO = Scenario(
    name="leader/elected",
    story=__doc__,
    variants=(VARIANT, of_share_groups(VARIANT)),
)
