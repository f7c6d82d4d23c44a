"""All brokers are restarted one after the other, each with a controlled shutdown.

What the brokers do: every 4.5 s the next broker hands over what it leads, closes its connections some ms (ZooKeeper)
or 2 s (KRaft) later, and is back 2 s after that. The first one leads the affected partition; leaders go to the first
living replica in order of assignment, so the partition comes back when the second broker goes. Metadata names a new
leader 150 ms after it is in office.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), then closed connections, several times.
What a good client does: follows each time, without telling the application.
On real brokers each one is back, and in sync, before the next one goes.
Source: every rolling upgrade; the order, controller last, is the one that Kafka's own guide recommends.
Not covered: which broker is the controller (it makes no difference to these clients); replicas that lag behind.
"""

from dataclasses import replace

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import LagMetadata

EVERY_MS = 4500
DOWN_MS = 2000
ALL_BACK_MS = 40_000
"""Three real brokers take about so long."""

TURNS = tuple(
    step
    for turn in range(3)
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
