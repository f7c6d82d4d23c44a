"""A broker and its name are gone for 15 s; both return with another IP address.

What the brokers do: the broker stops: its connections are reset and its address refuses. For 15 s its name does not
exist (NXDOMAIN) and Metadata does not list it; what it led or coordinated has no other leader (LEADER_NOT_AVAILABLE, 5)
or coordinator (COORDINATOR_NOT_AVAILABLE, 15). Then it serves at another IP address, on the same port, with the same
id, leaderships and keys, and its name leads there.
The error a client meets: reset connections, then a name that cannot be looked up, or refused connections at the address
that its runtime keeps.
What a good client does: as in dns/moved. A name that does not exist is a passing error like a refused connection.
Source: headless services of Kubernetes, which name no pod that is not ready; redpanda-data/connect #4476.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: real brokers; a name that is gone while its broker serves; a name server that is away.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.name_variants import named_variants
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ChangeAddress

DOWN_MS = 15_000

SCENARIO = Scenario(
    name="dns/gone",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=named_variants(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=DOWN_MS + 3000, watch_ms=75_000),
        ChangeAddress(down_ms=DOWN_MS, behind_name=True, hides_name=True),
    ),
)
