"""The first of two bootstrap addresses accepts connections and never answers when the client starts.

What the brokers do: one broker hangs. Another broker, whose address is the second, serves. Partitions and coordinators
are on other brokers.
The error a client meets: silence on its very first request.
What a good client does: gives up at its own timeout at the latest, uses the other address and works. Prompt is that
timeout plus 5 s. Clients that choose an address at random are restarted until they choose the hung one.
Source: a hung broker, or a proxy without a backend, in the bootstrap list; KIP-601 covers the same while connecting.
Not covered: an address that accepts no connection at all.
"""

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, Bootstrap, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import HangBroker

SCENARIO = Scenario(
    name="bootstrap/hung",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.SILENCE,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                causes=(Trigger.STARTUP, Trigger.BOOTSTRAP, Trigger.ERROR, Trigger.DISCONNECT),
                prompt_ms=5000,
                watch_ms=90000,
            ),
            steps=(HangBroker(),),
            bootstrap=Bootstrap.FAILING_FIRST,
            at_start=True,
            prompt_beyond_own_ms=5000,
        ),
    ),
)
