"""The leader comes back as an older Kafka: an upgrade was rolled back, and it knows no newer requests any more.

What the brokers do: its connections are cut, as by a restart; from then on it serves what Kafka 2.6 does. ApiVersions
says so; any other request of a newer version, or of an API that came later, closes the connection without an answer.
The error a client meets: a reset, then a connection that is closed on its request.
What a good client does: asks ApiVersions anew on the new connection and speaks what the broker knows.
Source: KIP-35; RequestContext.parseRequest throws InvalidRequestException, on which SocketServer closes. A client
that settles versions once for all brokers, or by configuration, cannot adapt.
Not covered: a broker that answers UNSUPPORTED_VERSION (blip/produce/UNSUPPORTED_VERSION); lines at or below 2.6, where
only the reset is left; another client's requests that break everybody's connection.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import CutConnections, RollBack

SCENARIO = Scenario(
    name="api/unsupported",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=3000, watch_ms=15000
            ),
            steps=(RollBack(line="2.6"), CutConnections()),
            whole_broker=True,
        ),
    ),
)
