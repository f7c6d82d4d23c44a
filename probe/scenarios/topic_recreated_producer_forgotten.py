"""The topic is deleted and created again, and its brokers do not know the producer any more.

What the brokers do: as in topic/recreated, but with the leaders and leader epochs that the topic had before. What a
broker knows of an idempotent producer went with the old logs: from the topic's return on, each broker refuses the first
three Produce requests to it with OUT_OF_ORDER_SEQUENCE_NUMBER (45). Then it serves.
The error a client meets: UNKNOWN_TOPIC_OR_PARTITION (3) while there is no topic, then 45 about both partitions.
What a good client does: takes a new producer id or epoch, begins each partition's numbers again, and goes on. It may
report the records that were refused.
Source: ProducerAppendInfo.checkSequence; of two batches in flight the first is answered 3, the second is taken, and the
first one, retried, meets 45. Brokers before 2.5 answer UNKNOWN_PRODUCER_ID (59) in its place. twmb/franz-go #403.
Not covered: promises about records of the old topic; transactional producers, which start again with a new epoch.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.topics import ForgetProducers, RecreateTopic

OUT_OF_ORDER_SEQUENCE_NUMBER = 45
PLAY = expect(
    Symptom.CHANGE,
    Reaction.DISCOVER,
    target=Target.CLUSTER,
    codes=(3, OUT_OF_ORDER_SEQUENCE_NUMBER, 59, 100, 103),
    causes=(Trigger.ERROR, Trigger.PERIODIC),
    election_ms=500,
    prompt_ms=5000,
    watch_ms=20_000,
)

SCENARIO = Scenario(
    name="topic/recreated/producer-forgotten",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=(Role.PRODUCER,),
            expectation=replace(PLAY, conforms=(*CONFORMS[Reaction.DISCOVER], *CONFORMS[Reaction.SURFACE])),
            whole_broker=True,
            unelected=True,
            steps=(RecreateTopic(), ForgetProducers(code=OUT_OF_ORDER_SEQUENCE_NUMBER, times=3)),
        ),
    ),
)
