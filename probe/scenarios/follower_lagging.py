"""The follower that serves a reader falls behind and leaves the ISR; it serves on, and has nothing new.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
follower gets no records any more. The leader takes it out of the ISR and sends no further reader there (KAFKA-14372); a
reader that is there already is served up to what the follower has, without an error, for as long as it asks. On real
brokers the follower's writes to these partitions wait, and the high watermark waits for it for 30 s
(replica.lag.time.max.ms), in which nobody reads anything new. The fault begins when it has left the ISR.
The error a client meets: none.
What a good client does: returns to the leader when its lease of the follower is over, as often as it refreshes its
metadata (metadata.max.age.ms of kafka-clients). So the profile is refresh-1s.
Source: KIP-392; IBM/sarama #2464, mended by #3553.
Not covered: a lease of the library's own that no setting changes.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.follower_variants import variants_of_a_follower
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.partitions import HoldFollowerBack

SCENARIO = Scenario(
    name="follower/lagging",
    story=__doc__,
    asked=True,
    profile=profile_of("follower/lagging"),
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_follower(
        expect(Symptom.CHANGE, Reaction.RETRY, target=Target.FOLLOWER, prompt_ms=3000, watch_ms=30000),
        HoldFollowerBack(),
    ),
)
