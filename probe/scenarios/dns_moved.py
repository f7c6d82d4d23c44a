"""A broker returns with its id at another IP address behind its name; the old address refuses for good.

What the brokers do: the broker stops: its connections are reset and its address refuses. For 2 s Metadata does not list
it, and what it led or coordinated has no other leader (LEADER_NOT_AVAILABLE, 5) or coordinator
(COORDINATOR_NOT_AVAILABLE, 15). Then it serves at another IP address, on the same port, with the same id, leaderships
and keys. Metadata names the same host and port as before; that name leads to the new address.
The error a client meets: reset and refused connections at the address that it has looked up.
What a good client does: tries again, and looks the name up before it connects; Metadata has nothing new for it. Prompt
is 3 s after the return, and the time for which the runtime keeps an answer (docs/names.md).
Source: pods of a StatefulSet that return; confluentinc/librdkafka #5301, KAFKA-7755.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: real brokers; addresses that are silent instead; a name server that is late or away.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.name_variants import named_variants
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ChangeAddress

DOWN_MS = 2000

SCENARIO = Scenario(
    name="dns/moved",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=named_variants(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=DOWN_MS + 3000, watch_ms=60_000),
        ChangeAddress(down_ms=DOWN_MS, behind_name=True),
    ),
)
