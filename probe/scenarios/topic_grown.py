"""Partitions are added to the topic.

What the brokers do: Metadata names two more partitions; nothing else changes and no request fails.
The error a client meets: none.
What a good client does: finds the new partitions at its next periodic refresh, undisturbed; until then it continues to
work. With the matrix's default profile there is no refresh within a trial: the test is that the client's work is not
disturbed. With profile `refresh-1s` the timeline shows whether a group takes the new partitions.
Source: KafkaConsumer's documentation (metadata.max.age.ms); Kafka's CreatePartitions.
Not covered: how soon producers use the new partitions: the driver names its partitions itself.
"""

from probe.model import Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.topics import GrowTopic

SCENARIO = Scenario(
    name="topic/grown",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.GROUP),
            expectation=expect(
                Symptom.CHANGE,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                codes=(),
                causes=(Trigger.ERROR, Trigger.PERIODIC),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(GrowTopic(partitions=4),),
        ),
    ),
)
