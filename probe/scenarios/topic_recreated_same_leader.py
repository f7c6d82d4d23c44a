"""The topic is deleted and created again under the same name, and the same broker leads it.

What the brokers do: as in topic/recreated, but the leader has the id that it had: only topic id, leader epochs and logs
tell the new topic from the old one.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none; UNKNOWN_TOPIC_ID (100) on Fetch from v13
and Produce from v13; UNKNOWN_LEADER_EPOCH (75) where it sends the old epoch; OFFSET_OUT_OF_RANGE (1) where it reads on.
What a good client does: asks for metadata because of the error, and goes on with the new topic at that broker, although
it is the one from which it had the error.
Source: librdkafka's change log of 1.4.2 (PR 2840): where a partition comes back with the leader that it had, nothing
wakes what waits for it; KIP-516; KAFKA-13488.
Not covered: promises about records of the old topic, which its deletion gives up; another leader (topic/recreated).
"""

from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import RecreateTopic
from probe.scenarios.topic_recreated import SCENARIO as RECREATED
from probe.scenarios.topic_replacement import with_same_leader

SCENARIO = Scenario(
    name="topic/recreated/same-leader",
    story=__doc__,
    variants=tuple(with_same_leader(one, RecreateTopic(), gone_ms=500) for one in RECREATED.variants),
)
