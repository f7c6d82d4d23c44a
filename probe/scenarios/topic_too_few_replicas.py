"""Too few replicas are in sync for acks=all, for three seconds.

What the brokers do: the leader answers NOT_ENOUGH_REPLICAS (19) to Produce with acks=all and appends nothing, since the
ISR is smaller than min.insync.replicas; after 3 s the replicas are back. Produce with less than acks=all is served.
The error a client meets: 19.
What a good client does: holds the records and tries again without an error; nothing is lost, duplicated or reordered.
On real brokers the affected partition has two replicas, the bystander two others. A follower's broker is stopped, two
seconds later min.insync.replicas becomes 2; after the fault it takes some seconds more until the follower is in sync.
With that setting from the start, what is appended while the follower leaves is answered only when it is back: where
eligible leader replicas are final (4.1 on), the high watermark waits for min.insync.replicas (KIP-966). A client with
such a request is served nothing behind it, and never met the error: one Java producer of three on 4.3.1.
Source: Partition.appendRecordsToLeader; NotEnoughReplicasException is a RetriableException.
Not covered: 20 after the append (applied/produce/NOT_ENOUGH_REPLICAS_AFTER_APPEND). A client that writes with less than
acks=all by default cannot meet this: its cell is `unsupported`.
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import PRODUCE
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import StopBroker
from probe.scenarios.steps.partitions import AnswerError
from probe.scenarios.steps.real_brokers import ConfigureTopics, KeepReplicas, Meanwhile

NOT_ENOUGH_REPLICAS = 19

VARIANT = RoleVariant(
    roles=(Role.PRODUCER, Role.TRANSACTIONAL),
    expectation=expect(
        Symptom.ANSWER,
        Reaction.RETRY,
        target=Target.LEADER,
        codes=(NOT_ENOUGH_REPLICAS,),
        prompt_ms=2000,
        watch_ms=10000,
    ),
    steps=(AnswerError(api=PRODUCE, code=NOT_ENOUGH_REPLICAS, acks_all=True),),
    heal_after_ms=3000,
    acks_all=True,
)
STOPPED_FOLLOWER = (
    KeepReplicas(affected=(0, 1), bystander=(0, 2)),
    StopBroker(turn=1, listed=False),
    Meanwhile(ms=2000),
    ConfigureTopics(config=(("min.insync.replicas", "2"),)),
)

SCENARIO = Scenario(
    name="topic/too-few-replicas",
    story=__doc__,
    variants=(VARIANT,),
    real=(replace(VARIANT, steps=STOPPED_FOLLOWER, expectation=replace(VARIANT.expectation, watch_ms=20_000)),),
)
