"""Every answer of a broker is 2.5 s late, for 8 s; its leaders stay.

What the brokers do: they are healthy; the network path to one of them is slow.
The error a client meets: none; answers that take 2.5 s, which is less than any default timeout.
What a good client does: waits. Its records arrive in order and once, and work on other partitions continues. Requests
in flight when the path is fast again still take their 2.5 s: prompt is 3 s after that.
Source: congested links, a broker that swaps memory; the clients' own request timeouts are 30 s and more.
Not covered: delays beyond the client's timeout (broker/hang, net/blackhole).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import SlowDown

SCENARIO = Scenario(
    name="net/slow",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(Symptom.SILENCE, Reaction.RETRY, target=Target.LEADER, prompt_ms=5500, watch_ms=20000),
            steps=(SlowDown(delay_ms=2500),),
            heal_after_ms=8000,
            whole_broker=True,
        ),
    ),
)
