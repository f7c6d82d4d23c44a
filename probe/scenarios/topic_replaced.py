"""The topic is deleted, and comes back with other records, among which the reader's position lies.

What the brokers do: for half a second no broker knows the topic. Then it has the same name, another topic id, another
leader, and in each partition fifty records more than the old one had. Its leader epochs are as low as those of the old
topic, whose partitions had no election, so they do not tell the two logs apart.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none; UNKNOWN_TOPIC_ID (100) on Fetch from v13
and Produce from v13, which name it by id; NOT_LEADER_OR_FOLLOWER (6). Its position is no error: the new log has it.
What a good client does: asks for metadata because of the error, learns the other topic id, and treats the topic as
another one: it reads it from the first record, or reports an error. A reader that goes on at its old position skips the
records before it without a word, which breaks a promise (docs/verdicts.md#promise).
Source: KIP-516; kafka-clients 3.9.2 to 4.4.0, which read on at offset 50 of 80 with both group protocols and with
`earliest`; librdkafka, src/rdkafka_topic.c of v2.15.0, 1610: "FIXME: an offset reset must be triggered".
Not covered: promises about records of the old topic, which its deletion gives up; a topic with other leader epochs than
before, which a client that validates its position notices (topic/absent has lower ones).
"""

from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import ReplaceTopic
from probe.scenarios.topic_replacement import variant_replaced

SCENARIO = Scenario(
    name="topic/replaced",
    story=__doc__,
    variants=(variant_replaced(ReplaceTopic(gone_ms=500, longer_by=50), unelected=True),),
    real_since="0.10.2",
    real_reason="older brokers do not tell the end of a log in one answer (ListOffsets version 1)",
)
