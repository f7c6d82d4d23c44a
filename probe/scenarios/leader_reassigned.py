"""The partition is reassigned: the old leader loses its replica.

What the brokers do: another replica leads; the old leader no longer hosts the partition.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6), also on every version of Fetch (real brokers answer 6, not 3, as
long as the topic has other partitions there). Release lines from 3.7 on name the new leader in it (KIP-951).
What a good client does: asks for metadata because of the error and follows.
Source: kafka-reassign-partitions; answers observed on 3.9.2 and 2.6.2.
Not covered: the time that copying a replica takes; the new leader is in sync here.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import MoveLeader

SCENARIO = Scenario(
    name="leader/reassigned",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CHANGE, Reaction.DISCOVER, target=Target.LEADER, codes=(6, 74), prompt_ms=3000, watch_ms=10000
            ),
            steps=(MoveLeader(drop_replica=True),),
        ),
    ),
)
