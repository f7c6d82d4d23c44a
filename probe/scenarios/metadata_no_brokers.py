"""A leader moves, and for 3 s Metadata lists no broker at all.

What the brokers do: the affected partition has another leader, and the old one has lost its replica. For 3 s every
broker's Metadata has an empty list of brokers, no controller, and leader -1 with LEADER_NOT_AVAILABLE (5) for every
partition; FindCoordinator answers COORDINATOR_NOT_AVAILABLE (15). All brokers keep serving. Then Metadata is complete.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) from the old leader, then a valid answer that names nobody.
What a good client does: keeps the brokers and connections that it has, or goes back to the addresses of its
configuration; asks again at its back-off; continues without an error to the application.
Source: KAFKA-7924: a broker that has just started answers so; confluentinc/librdkafka #5301: all brokers are forgotten.
Not covered: an empty list from one broker only; error 129 (metadata/rebootstrap-required).
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import HideBrokers
from probe.scenarios.steps.partitions import MoveLeader

SCENARIO = Scenario(
    name="metadata/no-brokers",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.RETRY,
                target=Target.CLUSTER,
                codes=(5, 6, 74, 75),
                prompt_ms=3000,
                watch_ms=15_000,
            ),
            steps=(MoveLeader(drop_replica=True), HideBrokers()),
            heal_after_ms=3000,
        ),
    ),
)
