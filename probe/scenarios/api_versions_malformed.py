"""The brokers refuse a version of ApiVersions in an answer that fits no version.

What the brokers do: they know ApiVersions up to version 2 and serve everything else as before. A higher version they
answer with UNSUPPORTED_VERSION (35), in a body that is half flexible: the number of keys in one byte, one key without
tags, a throttle time. Brokers of Kafka answer in version 0.
The error a client meets: 35 on the first request of every connection, in a body that ends early as version 0, or has no
key as version 3 and later.
What a good client does: takes the 35 as it is, asks again in a lower version, and works, without an error to the
application. A client that asks in version 0 to 2 notices nothing.
Source: KIP-511; librdkafka's mock cluster, with which developers test other clients (rd_kafka_mock_handle_ApiVersion in
rdkafka_mock_handlers.c, 2.16).
Not covered: other answers that cannot be read.
"""

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.protocol.apis import API_VERSIONS
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import LimitVersions

UNSUPPORTED_VERSION = 35

SCENARIO = Scenario(
    name="api/versions-malformed",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=(
        RoleVariant(
            roles=tuple(Role),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.NOTHING,
                target=Target.CLUSTER,
                codes=(UNSUPPORTED_VERSION,),
                apis=(API_VERSIONS,),
                prompt_ms=5000,
                watch_ms=15000,
            ),
            steps=(LimitVersions(highest=2, malformed=True),),
            at_start=True,
        ),
    ),
)
