"""A disk dies at a broker that only follows.

What the brokers do: no leader moves. The controller takes the follower out of the ISR within half a second. The leader
waits all the same until replica.lag.time.max.ms is over (30 s; 3.9.2), since its broker runs and it was caught up
a moment ago (shouldWaitForReplicaToJoinIsr in core/src/main/scala/kafka/cluster/Partition.scala). Until then no Produce
with acks=all is acknowledged and no new record is readable. Then the leader continues with the remaining replicas.
The error a client meets: none.
What a good client does: waits. Its requests for other partitions may wait as well. This is informative.
Source: KIP-112; a disk that dies may hold followers as well as leaders.
Not covered: min.insync.replicas that are not met any more (topic/too-few-replicas).
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import BreakLogDir, Held

SCENARIO = Scenario(
    name="disk/follower",
    story=__doc__,
    engines=(Engine.KAFKA,),
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.NONE, Reaction.NOTHING, target=Target.NONE, prompt_ms=3000, watch_ms=45000, informative=True
            ),
            steps=(BreakLogDir(holds=Held.FOLLOWER),),
        ),
    ),
)
