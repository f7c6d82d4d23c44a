"""The leader comes back from a restart and does not know its topics yet.

What the brokers do: its connections are cut. For 3 s it answers UNKNOWN_TOPIC_OR_PARTITION (3) to Produce and Fetch,
and its Metadata does not know the topic. The other brokers know it, and name that broker as its leader. Then it serves.
The error a client meets: a reset, then 3 on Produce and Fetch, and 3 in Metadata if it asks that broker.
What a good client does: treats 3 as temporary on a partition that worked a moment ago, tries again without an error to
the application, and keeps its partitions.
Source: brokers with ZooKeeper answer 3 after a restart until the controller's first UpdateMetadata (observed on real
brokers); UnknownTopicOrPartitionException is a RetriableException.
Not covered: a topic that is really gone (topic/deleted); groups, which fetch as consumers do.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import CutConnections
from probe.scenarios.steps.topics import ForgetTopic

SCENARIO = Scenario(
    name="metadata/amnesia",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.ANSWER, Reaction.RETRY, target=Target.LEADER, codes=(3, 100), prompt_ms=3000, watch_ms=15000
            ),
            steps=(ForgetTopic(), CutConnections()),
            heal_after_ms=3000,
            whole_broker=True,
        ),
    ),
)
