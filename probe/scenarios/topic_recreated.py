"""The topic is deleted and created again under the same name.

What the brokers do: for a moment no broker knows the topic, as it is created again only after it is gone. Then it has
the same name, another topic id, empty logs, and leader epochs from the start, which are lower than those of the old
topic, as its partitions had elections (docs/engines.md#history-of-a-cluster); soon another broker leads. On real
brokers the whole took 0.45 s (3.9.2), 0.5 s (4.3.1) and 1.3 s (3.4.1), and the topic was gone for about half of that.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none; UNKNOWN_TOPIC_ID (100) on Fetch from v13
and Produce from v13, which name it by id; UNKNOWN_LEADER_EPOCH (75) where it sends the old epoch; OFFSET_OUT_OF_RANGE
(1) where it reads on. Older Produce versions get no further error and continue to write.
What a good client does: asks for metadata because of the error, treats the new topic as another one, reads it by its
reset policy. It must not stop for good.
Source: KIP-516; KAFKA-12257 (consumers) and KAFKA-13488 (producers): metadata of the new topic is refused, as its
leader epochs are lower.
Not covered: promises about records of the old topic, which its deletion gives up; the same leader
(topic/recreated/same-leader).
"""

from probe.model import Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import MoveLeader
from probe.scenarios.steps.topics import RecreateTopic

SCENARIO = Scenario(
    name="topic/recreated",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER, Role.CONSUMER),
            expectation=expect(
                Symptom.CHANGE,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                codes=(1, 3, 6, 74, 75, 100, 103),
                causes=(Trigger.ERROR, Trigger.PERIODIC),
                election_ms=500,
                prompt_ms=3000,
                watch_ms=20000,
            ),
            long_read=True,
            steps=(RecreateTopic(), MoveLeader(elected=True)),
        ),
    ),
)
