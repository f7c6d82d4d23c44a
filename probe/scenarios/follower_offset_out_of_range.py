"""The follower that serves a reader says once that the reader's offset is out of range.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
follower answers OFFSET_OUT_OF_RANGE (1) once, as one that has not fetched the reader's records yet. The leader has
them.
The error a client meets: OFFSET_OUT_OF_RANGE (1) in the answer to Fetch.
What a good client does: asks the leader before it believes that, and keeps its position. One that goes to its reset
policy skips records, or reads all of them again.
Source: KIP-392, "Follower fetch requests", cases 3 and 4; FetchCollector.handleInitializeErrors of kafka-clients.
Not covered: an offset that is out of the leader's range, too.
"""

from probe.model import Engine
from probe.protocol.names import error_code
from probe.scenarios.follower_variants import variants_of_a_refusing_follower
from probe.scenarios.scenario import Scenario

SCENARIO = Scenario(
    name="follower/offset-out-of-range",
    story=__doc__,
    asked=True,
    engines=(Engine.EMBEDDED,),
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_refusing_follower(error_code("OFFSET_OUT_OF_RANGE"), times=1),
)
