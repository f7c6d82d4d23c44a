"""All brokers are restarted one after the other, each with a controlled shutdown.

What the brokers do: every 4.5 s the next broker hands over its leaderships. It closes its connections some milliseconds
(ZooKeeper) or 2 s (KRaft) later, and is back 2 s after that. The first broker leads the affected partition. The first
live replica in order of assignment becomes leader, so the partition moves back when the second broker stops. Metadata
names a new leader 150 ms after its election.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), then closed connections, several times.
What a good client does: follows each time, without an error to the application.
On real brokers each broker is back, and in sync, before the next one stops.
Source: every rolling upgrade; Kafka's own guide recommends this order, with the controller last.
Not covered: which broker is the controller (it makes no difference to these clients); replicas that lag behind.
"""

from dataclasses import replace

from probe.model import Reaction, Symptom, Target, Trigger
from probe.model.cluster import COUNT
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import LagMetadata

EVERY_MS = 4500
DOWN_MS = 2000
ALL_BACK_MS = 40_000
"""Time by which three real brokers have been restarted, in ms."""

TURNS = tuple(
    step
    for turn in range(COUNT)
    for step in (
        Evacuate(when=When(after_ms=turn * EVERY_MS), turn=turn, loading_ms=300),
        StopBroker(when=When(after_ms=turn * EVERY_MS, lingers=True), turn=turn, listed=False),
        ReturnBroker(when=When(after_ms=turn * EVERY_MS + DOWN_MS, lingers=True), turn=turn),
    )
)

VARIANT = RoleVariant(
    roles=CLIENT_ROLES,
    expectation=expect(
        Symptom.ANSWER,
        Reaction.DISCOVER,
        target=Target.LEADER,
        codes=(6, 74),
        causes=(Trigger.ERROR, Trigger.DISCONNECT),
        prompt_ms=3000,
        watch_ms=15000,
    ),
    steps=(LagMetadata(lag_ms=150), *TURNS),
    whole_broker=True,
)

SCENARIO = Scenario(
    name="broker/rolling",
    story=__doc__,
    variants=(VARIANT,),
    real=(
        replace(
            VARIANT, steps=TURNS, expectation=replace(VARIANT.expectation, watch_ms=60_000), watch_least_ms=ALL_BACK_MS
        ),
    ),
)
