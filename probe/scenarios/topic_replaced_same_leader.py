"""The topic is deleted, and comes back with other records and the same leader.

What the brokers do: as in topic/replaced, but the leader has the id that it had, and the leader epoch, too: only the
topic id and the records tell the new topic from the old one.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is none; UNKNOWN_TOPIC_ID (100) on Fetch from v13
and Produce from v13. Its position is no error: the new log has it.
What a good client does: learns the other topic id, and treats the topic as another one: it reads it from the first
record, or reports an error. A reader that goes on at its old position breaks a promise (docs/verdicts.md#promise).
Source: as topic/replaced; librdkafka's change log of 1.4.2 (PR 2840).
Not covered: promises about records of the old topic, which its deletion gives up; another leader (topic/replaced). Real
brokers would serve the new log before it is filled, as clients know its leader.
"""

from probe.model import Engine
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import ReplaceTopic
from probe.scenarios.topic_replacement import variant_replaced, with_same_leader

STEP = ReplaceTopic(gone_ms=500, longer_by=50, same_leader=True)
SCENARIO = Scenario(
    name="topic/replaced/same-leader",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(with_same_leader(variant_replaced(STEP, unelected=True), STEP, gone_ms=STEP.gone_ms),),
)
