"""All partitions of a topic have no leader for four seconds; then the same replicas lead them again.

What the brokers do: Metadata has leader -1 and LEADER_NOT_AVAILABLE (5) for each partition of the topic. The brokers
serve all the while: as replicas they answer NOT_LEADER_OR_FOLLOWER (6), from 3.7 on with the hint that the leader is -1
in a newer epoch (KIP-951). After 4 s each partition is led by the broker as before, in an epoch that is newer again.
The error a client meets: 6 on Produce and Fetch, with a hint that names no broker; 5 in Metadata.
What a good client does: waits and asks again; it must not give the topic up for good, nor need a restart.
Source: a controller that stood still for longer than `broker.session.timeout.ms` fences brokers that serve, and lets
them in again; KafkaApis.getCurrentLeader takes the leader from the replica, also where that is -1.
confluentinc/librdkafka #5430, vectordotdev/vector #25375.
Not covered: one partition of several (metadata/leaderless); groups, which fetch as consumers do.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import LoseLeader

SCENARIO = Scenario(
    name="metadata/leaderless-topic",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.RETRY,
                target=Target.CLUSTER,
                codes=(6, 5, 74, 75),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(LoseLeader(whole_topic=True, hinted=True),),
            heal_after_ms=4000,
        ),
    ),
)
