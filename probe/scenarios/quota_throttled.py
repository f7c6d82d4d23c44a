"""A client exceeds its quota: brokers ask it to wait, first for long, then for a millisecond.

What the brokers do: for 8 s each answer of the leader to the role's work carries a throttle time of 1.5 s, then for 8 s
one of 1 ms. They answer at once and read nothing more from the connection for that time (KIP-219).
What was produced is appended, and what was fetched is in the answer. The fact `fault_hits` counts the requests that it
kept for a second: none of a client that waits as it is asked. On real brokers the client id gets a quota for 16 s:
bytes per second for producers and readers, a percentage of a thread's time for an admin. Times of half a second to some
seconds follow from it, after some seconds without any; a throttled Fetch is answered without records.
The error a client meets: none; throttle times, and silence for as long if it sends on.
What a good client does: sends that broker nothing in that time, times nothing out, does not connect anew and works
again afterwards, without an error to the application.
Source: KIP-13, KIP-124, KIP-219; KafkaJS #1532 (a throttle time of 1 ms stops a connection); kafka-python #2510 and
librdkafka #5592 (clients that do not wait).
Not covered: fetches that are answered without records, on the fake; a throttle time of a millisecond, on real brokers;
quotas of connections and of the controller; throttle times beyond a client's request timeout.
"""

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import FETCH, LIST_OFFSETS, PRODUCE
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Throttle, When
from probe.scenarios.steps.real_brokers import SetQuota

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

REAL_QUOTAS = (
    ((Role.PRODUCER,), SetQuota(key="producer_byte_rate", value=700), Target.LEADER),
    ((Role.CONSUMER, Role.GROUP), SetQuota(key="consumer_byte_rate", value=800), Target.LEADER),
    ((Role.TRANSACTIONAL,), SetQuota(key="producer_byte_rate", value=110), Target.CLUSTER),
    ((Role.ADMIN,), SetQuota(key="request_percentage", value=0.00001), Target.CLUSTER),
)
"""The quota of each role, below what its work at the leader needs: a request with one record, of some 200 bytes, every
100 ms, or every 1.6 s in a transaction. Over ten seconds the rate may be the quota, so the first seconds are free; then
a broker asks to wait for (rate - quota) / quota of these ten seconds. The bystander, with a record every 1.2 s, stays
below, but in transactions, which write as often to both partitions. Any request exceeds the percentage, and is asked to
wait for one window of the quota."""
LONG_WINDOWS = ClusterSpec(properties=(("quota.window.size.seconds", "2"),))
"""Windows of the percentage's quota. With one second a request that was kept would not always be kept for a second."""


def _real(roles: tuple[Role, ...], step: SetQuota, target: Target) -> RoleVariant:
    expectation = replace(_QUOTA.expectation, target=target)
    variant = replace(_QUOTA, roles=roles, expectation=expectation, steps=(step,), busy=True)
    return replace(variant, cluster=LONG_WINDOWS) if step.key == "request_percentage" else variant


SCENARIO = Scenario(
    name="quota/throttled",
    story=__doc__,
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
    real=tuple(_real(roles, step, target) for roles, step, target in REAL_QUOTAS),
    real_since="2.6",
    real_reason="older brokers take no quotas on request (KIP-546)",
)
