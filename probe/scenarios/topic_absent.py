"""The topic is deleted, is gone for three seconds, and is created again, empty.

What the brokers do: for three seconds no broker knows the topic. Then it has the same name, another topic id, another
leader, empty logs, and leader epochs from the start, which are lower than those of the old topic, as its partitions had
elections (docs/engines.md#history-of-a-cluster). Records are written to it from then on.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none, also in Metadata; UNKNOWN_TOPIC_ID (100)
on Fetch from v13 and Produce from v13, which name it by id; UNKNOWN_LEADER_EPOCH (75) where it sends the old epoch;
OFFSET_OUT_OF_RANGE (1) where it reads on, as its position lies beyond the new logs.
What a good client does: goes on asking for metadata, with pauses, while there is no such topic; treats the new topic as
another one, and reads it from its first record or reports an error. A producer loses no record of the new topic.
Source: KIP-516; kafka-clients 3.9.2 to 4.4.0 on brokers of their own release ask 1,750 to 3,100 times a second while
the topic is gone, and with `auto.offset.reset=latest` skip all records of the new one.
Not covered: promises about records of the old topic, which its deletion gives up; topics that a broker creates by
itself because a client asks for them (auto.create.topics.enable).
"""

from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import ReplaceTopic
from probe.scenarios.topic_replacement import variant_replaced

SCENARIO = Scenario(
    name="topic/absent",
    story=__doc__,
    variants=(variant_replaced(ReplaceTopic(gone_ms=3000)),),
)
