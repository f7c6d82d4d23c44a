"""The first of two bootstrap addresses is dead when the client starts.

What the brokers do: one broker's port refuses; another one, whose address is the second, serves. Partitions and
coordinators are elsewhere.
The error a client meets: refused connections (ECONNREFUSED). Since they show on nobody's wire, the first one is proved
by the kernel's own list of connections under way: the port answers nothing until somebody tries to connect, and
refuses from then on, so that the first attempt fails at its second SYN, a second later. Clients that choose among
their addresses at random are started again until they meet the dead one.
What a good client does: takes the other address and works.
Source: bootstrap lists that nobody has looked after for years; every client's own documentation asks for several.
Not covered: a name that does not resolve.
"""

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, Bootstrap, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import RefuseConnections

SCENARIO = Scenario(
    name="bootstrap/first-dead",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                causes=(Trigger.STARTUP, Trigger.BOOTSTRAP, Trigger.ERROR, Trigger.DISCONNECT),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(RefuseConnections(once_tried=True),),
            bootstrap=Bootstrap.FAILING_FIRST,
            at_start=True,
        ),
    ),
)
