"""A newer client sends an API key that the broker does not know, and the broker drops other clients' requests.

What the brokers do: every 2.15 s, nine times, the failing broker receives requests with API key 18 (ApiVersions, which
came with the next release) for 200 ms. Its only network thread throws an exception at each of them. Requests that it
received later in the same poll are lost. A connection whose response was sent in that poll is not read again
until it is closed. Nothing is refused or closed, and in between every new connection is served: a monitor that connects
anew observes failure and recovery in turn. Followers fetch through the same thread.
The error a client meets: no answer; if a later request is answered on the same connection, an answer out of order.
What a good client does: gives the request up after its timeout, connects again and repeats it, without an error to the
application.
Source: Kafka 0.9's SocketServer.Processor and ApiKeys.forId (ArrayIndexOutOfBoundsException: 18); from 0.10 on the
connection with the unknown key is closed and no other client is affected.
Not covered: real newer clients, which send one such request per connection and try again forever (librdkafka with its
default settings affects every other client of the broker); more than one network thread, each of which drops its own
requests.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import SendUnknownKeys

LASTS_MS = 20_000
BURST_MS, EVERY_MS = 200, 2150
"""Bursts meet every request of a client that sends one each 100 ms, and, one after the other, every moment of a second:
members of a group commit once a second."""

_LED = RoleVariant(
    roles=(Role.PRODUCER, Role.CONSUMER),
    expectation=expect(Symptom.SILENCE, Reaction.RETRY, target=Target.LEADER, prompt_ms=5000, watch_ms=90_000),
    steps=(SendUnknownKeys(key=18, lasts_ms=BURST_MS, every_ms=EVERY_MS, until_ms=LASTS_MS - 2500),),
    heal_after_ms=LASTS_MS,
    whole_broker=True,
    prompt_beyond_own_ms=5000,
    cluster=ClusterSpec(properties=(("num.network.threads", "1"),)),
)

SCENARIO = Scenario(
    name="incident/unknown-api-key",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="0.9.0",
    real_until="0.9.0",
    real_reason="newer brokers close the connection with the unknown key, and no other",
    variants=(
        _LED,
        replace(_LED, roles=(Role.GROUP,), expectation=replace(_LED.expectation, target=Target.COORDINATOR)),
    ),
)
