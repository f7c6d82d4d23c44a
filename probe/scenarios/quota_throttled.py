"""A client exceeds its quota: brokers ask it to wait, first for long, then for a millisecond.

What the brokers do: for 8 s each answer of the leader to the role's work carries a throttle time of 1.5 s, then for 8 s
one of 1 ms. They answer at once and read nothing more from the connection for that time (KIP-219).
What was produced is appended, and what was fetched is in the answer. The fact `fault_hits` counts the requests that it
kept for a second: none of a client that waits as it is asked.
The error a client meets: none; throttle times, and silence for as long if it sends on.
What a good client does: sends that broker nothing in that time, times nothing out, does not connect anew and works
again afterwards, without an error to the application.
Source: KIP-13, KIP-124, KIP-219; KafkaJS #1532 (a throttle time of 1 ms stops a connection); kafka-python #2510 and
librdkafka #5592 (clients that do not wait).
Not covered: fetches that are answered without records; quotas of connections and of the controller; throttle times
beyond a client's request timeout.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.protocol.apis import FETCH, LIST_OFFSETS, PRODUCE
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Throttle, When

LONG_THROTTLE_MS, SHORT_MS, EACH_MS = 1500, 1, 8000

APIS = (
    (Role.PRODUCER, PRODUCE, Target.LEADER),
    (Role.CONSUMER, FETCH, Target.LEADER),
    (Role.GROUP, FETCH, Target.LEADER),
    (Role.TRANSACTIONAL, PRODUCE, Target.LEADER),
    (Role.ADMIN, LIST_OFFSETS, Target.CLUSTER),
)
"""The API whose quota each role exceeds. An admin asks the coordinator on the same connection, also about the other
partition, so it has no bystander."""

_QUOTA = RoleVariant(
    roles=(),
    expectation=expect(Symptom.SILENCE, Reaction.NOTHING, target=Target.LEADER, prompt_ms=5000, watch_ms=24000),
    heal_after_ms=2 * EACH_MS,
    watch_least_ms=2 * EACH_MS,
    whole_broker=True,
)

SCENARIO = Scenario(
    name="quota/throttled",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=tuple(
        replace(
            _QUOTA,
            roles=(role,),
            expectation=replace(_QUOTA.expectation, target=target),
            steps=(
                Throttle(apis=(api,), throttle_ms=LONG_THROTTLE_MS),
                Throttle(apis=(api,), throttle_ms=SHORT_MS, when=When(after_ms=EACH_MS)),
            ),
        )
        for role, api, target in APIS
    ),
)
