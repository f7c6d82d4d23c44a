"""The first of two bootstrap addresses is dead when the client starts.

What the brokers do: the port of one broker refuses. Another broker, whose address is the second, serves. Partitions and
coordinators are on other brokers.
The error a client meets: refused connections (ECONNREFUSED). The relay cannot record them, so the first one is proved
by the kernel's list of connection attempts. The port answers nothing until the first attempt and refuses from then on,
so that this attempt fails at its second SYN, a second later. Clients that choose an address at random are restarted
until they choose the dead one.
What a good client does: uses the other address and works.
Source: bootstrap lists that are not maintained for years; the documentation of every client recommends several
addresses.
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
