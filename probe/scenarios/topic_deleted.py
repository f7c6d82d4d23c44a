"""The topic is deleted while the client works on it.

What the brokers do: they no longer know it: UNKNOWN_TOPIC_OR_PARTITION (3), or UNKNOWN_TOPIC_ID (100) where the request
names it by id, and 3 in Metadata.
The error a client meets: 3 or 100 on Produce and Fetch, 3 in Metadata.
What a good client does: reports an error to the application, after any time it allows the topic to come back.
Source: KafkaApis, ReplicaManager; both exceptions are retriable in Kafka, so the time until a client reports an error
is its own limit (delivery.timeout.ms = 120 s in Java); this is informative, not judged.
Not covered: deletion that hangs; a topic that is created again (topic/recreated); consumers, since most libraries let
them wait for the topic to return without an error.
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.topics import DeleteTopic

SCENARIO = Scenario(
    name="topic/deleted",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER,),
            expectation=expect(
                Symptom.CHANGE,
                Reaction.SURFACE,
                target=Target.CLUSTER,
                codes=(3, 100),
                prompt_ms=3000,
                watch_ms=20000,
                informative=True,
            ),
            steps=(DeleteTopic(),),
        ),
    ),
)
