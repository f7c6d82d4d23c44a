"""The follower that serves a reader says twice that the reader's offset is not available.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
follower answers OFFSET_NOT_AVAILABLE (78) twice. Kafka's brokers up to 3.9 answer it to ListOffsets only; KIP-392 wants
it for a Fetch beyond the follower's high watermark, and clients have code for it.
The error a client meets: OFFSET_NOT_AVAILABLE (78) in the answer to Fetch.
What a good client does: asks again, there or at the leader, and keeps its position.
Source: KIP-392, "Follower fetch requests", cases 1 and 2.
Not covered: a follower that never gets the records (follower/lagging).
"""

from probe.model import Engine
from probe.protocol.names import error_code
from probe.scenarios.follower_variants import variants_of_a_refusing_follower
from probe.scenarios.scenario import Scenario

SCENARIO = Scenario(
    name="follower/offset-not-available",
    story=__doc__,
    asked=True,
    engines=(Engine.EMBEDDED,),
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_refusing_follower(error_code("OFFSET_NOT_AVAILABLE"), times=2),
)
