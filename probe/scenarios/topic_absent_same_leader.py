"""The topic is deleted, is gone for three seconds, and is created again, empty, and the same broker leads it.

What the brokers do: as in topic/absent, but the leader has the id that it had.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none, also in Metadata; UNKNOWN_TOPIC_ID (100)
on Fetch from v13 and Produce from v13; UNKNOWN_LEADER_EPOCH (75) where it sends the old epoch; OFFSET_OUT_OF_RANGE (1)
where it reads on.
What a good client does: goes on asking for metadata, with pauses, while there is no such topic, and goes on with the
new one at the broker that it knows.
Source: librdkafka's change log of 1.4.2 (PR 2840); KIP-516.
Not covered: promises about records of the old topic, which its deletion gives up; another leader (topic/absent).
"""

from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import ReplaceTopic
from probe.scenarios.topic_replacement import variant_replaced, with_same_leader

STEP = ReplaceTopic(gone_ms=3000, same_leader=True)
SCENARIO = Scenario(
    name="topic/absent/same-leader",
    story=__doc__,
    variants=(with_same_leader(variant_replaced(STEP), STEP, gone_ms=STEP.gone_ms),),
)
