"""The first of two bootstrap addresses is dead when the client starts.

What the brokers do: one broker's port refuses; another one, whose address is the second, serves. Partitions and
coordinators are elsewhere.
The error a client meets: a connection that is reset, then refused ones. Since a refused connection shows on nobody's
wire, the first one is accepted and reset at once: that is the proof. Clients that choose among their addresses at
random are started again until they meet the dead one.
What a good client does: takes the other address and works.
Source: bootstrap lists that nobody has looked after for years; every client's own documentation asks for several.
Not covered: a name that does not resolve.
"""

from probe.model import Expects, Kind, Target
from probe.scenarios.broker_steps import RefuseConnections
from probe.scenarios.scenario import CLIENT_ROLES, Bootstrap, Part, Scenario, play

SCENARIO = Scenario(
    name="bootstrap/first-dead",
    story=__doc__,
    parts=(
        Part(
            roles=CLIENT_ROLES,
            play=play(
                Kind.CONNECTION,
                Expects.DISCOVER,
                target=Target.CLUSTER,
                causes=("startup", "bootstrap", "error", "disconnect"),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(RefuseConnections(after_one=True),),
            bootstrap=Bootstrap.FAILING_FIRST,
            at_start=True,
        ),
    ),
)
