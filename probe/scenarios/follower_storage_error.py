"""The disk of the follower that serves a reader dies; the leader stays.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
follower's log dir fails, and it answers KAFKA_STORAGE_ERROR (56). Within half a second the controller takes it out of
the ISR; Metadata lists the replica as offline, and its broker as alive. The leader sends nobody there any more. Real
brokers show no new record until the leader goes on without the follower (disk/follower), for up to 30 s.
The error a client meets: KAFKA_STORAGE_ERROR (56) in the answer to Fetch.
What a good client does: drops the follower because of the error and asks the leader.
Source: KIP-392, KIP-112; FetchCollector.handleInitializeErrors of kafka-clients.
Not covered: a follower's broker that restarts with its log dir mended.
"""

from probe.model import Reaction, Symptom, Target
from probe.protocol import apis
from probe.protocol.names import error_code
from probe.scenarios.follower_variants import variants_of_a_follower
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.partitions import BreakLogDir, Held

SCENARIO = Scenario(
    name="follower/storage-error",
    story=__doc__,
    asked=True,
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_follower(
        expect(
            Symptom.ANSWER,
            Reaction.RETRY,
            target=Target.FOLLOWER,
            codes=(error_code("KAFKA_STORAGE_ERROR"),),
            apis=(apis.FETCH,),
            prompt_ms=3000,
            watch_ms=30000,
        ),
        BreakLogDir(holds=Held.SERVING_FOLLOWER),
    ),
)
