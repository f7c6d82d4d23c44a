"""All brokers return on other ports; only the bootstrap address stays the same.

What the brokers do: all connections are cut and every port refuses for a second. Then the brokers return on other
ports, which Metadata names. The old ports refuse for good. The client's one bootstrap address never moves.
The error a client meets: resets, then refused connections to every broker that it knows.
What a good client does: goes back to its bootstrap address, asks there, and continues to work.
Source: KIP-899 and KIP-1102 (Java rebootstraps from 3.8 if configured, from 4.0 by default); brokers behind load
balancers or in containers, whose addresses change when all of them are restarted.
Not covered: other brokers with the same addresses; a cluster id that changes.
"""

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, Bootstrap, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import ChangeAddresses

SCENARIO = Scenario(
    name="bootstrap/addresses-changed",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                causes=(Trigger.BOOTSTRAP,),
                prompt_ms=30000,
                watch_ms=330000,
            ),
            steps=(ChangeAddresses(down_ms=1000),),
            bootstrap=Bootstrap.FIXED,
        ),
    ),
)
