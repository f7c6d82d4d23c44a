"""The leader comes back as an older Kafka after a rolled-back upgrade and no longer knows newer requests.

What the brokers do: the leader's connections are cut, as by a restart. From then on it serves what Kafka 2.6 serves,
and ApiVersions says so. Any other request of a newer version, or of a later API, closes the connection without an
answer.
The error a client meets: a reset, then a connection that the broker closes on its request.
What a good client does: sends ApiVersions again on the new connection and uses the versions that the broker supports.
Source: KIP-35; RequestContext.parseRequest throws InvalidRequestException, on which SocketServer closes. A client that
settles versions once for all brokers, or by configuration, cannot adapt.
Not covered: a broker that answers UNSUPPORTED_VERSION (blip/produce/UNSUPPORTED_VERSION); release lines up to 2.6,
where only the reset remains; requests of another client that break the connections of all clients.
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
