"""The partition has no leader for four seconds; then the same replica leads it again.

What the brokers do: Metadata has leader -1 and LEADER_NOT_AVAILABLE (5) for the partition, its replica answers
NOT_LEADER_OR_FOLLOWER (6). After 4 s it is elected again, in a new epoch.
The error a client meets: 6 on Produce and Fetch, 5 in Metadata.
What a good client does: waits and asks again; it must not give the partition up for good, nor need a restart.
Source: LeaderNotAvailableException is a RetriableException; Kafka's MetadataCache.getTopicMetadata. Sarama's partition
producer opens a circuit breaker after it (async_producer.go, newBreaker).
Not covered: another leader in the end (leader/election-slow); groups, which fetch as consumers do.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import LoseLeader

SCENARIO = Scenario(
    name="metadata/leaderless",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.RETRY,
                target=Target.LEADER,
                codes=(6, 5, 74, 75),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(LoseLeader(),),
            heal_after_ms=4000,
        ),
    ),
)
