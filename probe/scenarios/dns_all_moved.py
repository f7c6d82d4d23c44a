"""All brokers are restarted one after the other; each returns at another IP address behind its name.

What the brokers do: as in broker/rolling, but a broker that is back has another IP address, to which its name leads
from then on, and the former one refuses for good. Metadata names the same hosts and ports throughout. In the end no
address is left that a client has looked up before.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), then closed connections, and refused ones
at every former address.
What a good client does: follows each time, and looks names up again before it connects. Prompt is 3 s, and the time for
which the runtime keeps an answer (docs/names.md).
Source: rolling upgrades in Kubernetes; confluentinc/librdkafka #5301, strimzi/strimzi-kafka-operator #12792.
Not covered: real brokers; brokers that know no brokers for a while after their start (metadata/no-brokers).
"""

from dataclasses import replace

from probe.model import Engine
from probe.scenarios.broker_rolling import VARIANT
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.brokers import ReturnBroker

WATCH_MS = 75_000

SCENARIO = Scenario(
    name="dns/all-moved",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=(
        replace(
            VARIANT,
            steps=tuple(
                replace(step, behind_name=True) if isinstance(step, ReturnBroker) else step for step in VARIANT.steps
            ),
            expectation=replace(VARIANT.expectation, watch_ms=WATCH_MS),
            watch_least_ms=20_000,
            by_name=True,
        ),
    ),
)
