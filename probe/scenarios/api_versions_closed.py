"""The brokers reset the connection of a client that asks for their versions in a version that they do not know.

What the brokers do: they know ApiVersions up to version 2 and serve everything else as before. On a higher version they
reset the connection. Brokers of Kafka answer UNSUPPORTED_VERSION (35) in version 0 instead, from 0.10 on.
The error a client meets: a reset (ECONNRESET) on the first request of every connection, from its start on.
What a good client does: asks again in a lower version, and works, without an error to the application. A client that
asks in version 0 to 2 notices nothing.
Source: Azure Event Hubs, which resets on version 4 (franz-go #1022, #1025); proxies that know some versions only.
Not covered: a broker that starts to do so while clients are connected; one that closes without a reset.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import LimitVersions

SCENARIO = Scenario(
    name="api/versions-closed",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=tuple(Role),
            expectation=expect(
                Symptom.CONNECTION, Reaction.NOTHING, target=Target.CLUSTER, prompt_ms=5000, watch_ms=15000
            ),
            steps=(LimitVersions(highest=2),),
            at_start=True,
        ),
    ),
)
