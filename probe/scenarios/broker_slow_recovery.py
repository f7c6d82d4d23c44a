"""A broker is back from a restart, and its partitions are unavailable for a long time.

What the brokers do: the broker's connections are cut and it listens again at once. For 8 s it answers
UNKNOWN_TOPIC_OR_PARTITION (3) to Produce and Fetch, and its own Metadata does not know the topic. It has the only
replica in sync, so no other leader is elected, and the other brokers name it as the leader all the time. Then it
serves.
The error a client meets: a reset, then 3 for a long time.
What a good client does: waits and tries again without an error to the application; it does not give the partition up.
On real brokers the broker is killed, and every read of its logs is slow (150 ms each) while it recovers them. Its port
refuses, and Metadata names no leader (5) once the controller considers the broker failed.
Source: restarts with very many partitions; a broker answers 3 until the controller has sent it the partitions it leads.
Not covered: the same for a short time (metadata/amnesia); offsets that are out of range afterwards.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import CutConnections
from probe.scenarios.steps.real_brokers import KeepReplicas, SlowReads
from probe.scenarios.steps.topics import ForgetTopic

SCENARIO = Scenario(
    name="broker/slow-recovery",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER, Reaction.RETRY, target=Target.LEADER, codes=(3, 100), prompt_ms=5000, watch_ms=30000
            ),
            steps=(ForgetTopic(), CutConnections()),
            heal_after_ms=8000,
            whole_broker=True,
        ),
    ),
    real=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.RETRY,
                target=Target.LEADER,
                codes=(3, 5, 6),
                prompt_ms=5000,
                watch_ms=30000,
            ),
            steps=(
                KeepReplicas(affected=(0,)),
                StopBroker(),
                ReturnBroker(when=When(after_ms=500)),
                SlowReads(delay_ms=150),
            ),
            heal_after_ms=8000,
            whole_broker=True,
        ),
    ),
)
