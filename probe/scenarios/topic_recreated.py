"""The topic is deleted and made again under the same name.

What the brokers do: for a moment nobody knows the topic, as whoever makes it again waits until it is gone; then same
name, another topic id, empty logs, leader epochs from the start; soon another broker leads. On real brokers all of it
took 0.45 s (3.9.2), 0.5 s (4.3.1) and 1.3 s (3.4.1), and the topic was gone for about half of that.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none; UNKNOWN_TOPIC_ID (100) on Fetch from v13
and Produce from v13, which name it by id; UNKNOWN_LEADER_EPOCH (75) where it sends the old epoch; OFFSET_OUT_OF_RANGE
(1) where it reads on; older Produce notices nothing more and writes on.
What a good client does: asks for metadata because of the error, takes the new topic for another one, reads it by its
reset policy. It must not stop for good.
Source: KIP-516; KAFKA-12257 (consumers mishandle topics that are deleted and made again).
Not covered: promises about records of the old topic: who deletes a topic gives them up.
"""

from probe.model import Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import MoveLeader, RecreateTopic

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
