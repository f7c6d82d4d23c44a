"""A broker returns at another IP address behind its name, which leads to its old address as well, first.

What the brokers do: as in dns/moved, but the name leads to two addresses then: first the old one, where attempts get no
answer, and then the new one. The order is the same in each answer.
The error a client meets: reset connections, and attempts at the first address that end by its own time-out only.
What a good client does: goes on to the second address of the same answer, or tries both at once (RFC 8305). Prompt is
the client's own time-out plus 5 s, and the time for which the runtime keeps an answer (docs/names.md).
Source: KIP-302, KIP-602 (`client.dns.lookup`); records of hosts that are gone, kept beside those of their successors.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: real brokers; a first address that refuses; several addresses of one host that all serve.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.name_variants import named_variants
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ChangeAddress

DOWN_MS = 2000

SCENARIO = Scenario(
    name="dns/two-addresses",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=named_variants(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, watch_ms=90_000),
        ChangeAddress(down_ms=DOWN_MS, behind_name=True, keeps_former=True),
        silent=True,
    ),
)
