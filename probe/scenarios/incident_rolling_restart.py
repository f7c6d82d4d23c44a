"""Every node is restarted with a controlled shutdown, one at a time, the controller last: as Kafka's guide recommends.

What the brokers do: the brokers that are not the controller are restarted first. Each hands over its leaderships, ends
and is back a second later. Everything is in sync before the next one stops. The controller comes last. With ZooKeeper a
broker is the controller, and this role moves once. With KRaft the controller is a node of its own, which leads no
partitions. min.insync.replicas is 2, of three replicas. In the end the logs of all replicas are dumped by Kafka's own
tool, and compared with the read-back.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), then closed connections, several times.
What a good client does: follows each time, loses nothing, and reports no error to the application.
Source: every upgrade; the order is that of Kafka's own operations guide.
Not covered: a cluster with more than one KRaft controller; brokers that take a long time to be in sync again.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.real_brokers import DumpLogs, Order, RestartAll

CONTROLLER_FIRST = """Every node is restarted with a controlled shutdown, one at a time, the controller first.

What the brokers do: as in incident/rolling/controller-last, in the worst order for the controller. With ZooKeeper its
role moves to a broker that is yet to be restarted, and moves again, at worst with each restart.
The error a client meets: as in incident/rolling/controller-last.
What a good client does: as in incident/rolling/controller-last; the order should make no difference to it.
Source: a rolling restart by number, without regard to the controller.
Not covered: as in incident/rolling/controller-last.
"""
TWO_AT_ONCE = """Two of three brokers are restarted at once, with min.insync.replicas=2; then the third.

What the brokers do: both hand over their leaderships to the third one and end together. It is the only replica in sync,
so it refuses acks=all with NOT_ENOUGH_REPLICAS (19) until one of them is back. Writes with acks=1 succeed and depend on
one broker. Groups cannot commit meanwhile.
The error a client meets: 6, closed connections, then 19 (or 20) for as long as a restart takes.
What a good client does: keeps its unsent records, tries again, and writes all of them in the end.
Source: rolling restarts in batches, two brokers of a rack at a time.
Not covered: three at once (no broker leads); brokers that never return.
"""

BACK_MS = 90_000
"""Time by which all nodes are back, in ms, with a margin for a busy machine."""

CLUSTER = ClusterSpec(properties=(("min.insync.replicas", "2"),))
PART = RoleVariant(
    roles=CLIENT_ROLES,
    expectation=expect(
        Symptom.ANSWER,
        Reaction.DISCOVER,
        target=Target.LEADER,
        codes=(6, 74),
        causes=(Trigger.ERROR, Trigger.DISCONNECT),
        prompt_ms=3000,
        watch_ms=BACK_MS,
    ),
    steps=(RestartAll(order=Order.CONTROLLER_LAST), DumpLogs()),
    watch_least_ms=BACK_MS,
    busy=True,
    cluster=CLUSTER,
)

SCENARIO = Scenario(
    name=f"incident/rolling/{Order.CONTROLLER_LAST}",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="0.10.2",
    real_reason="without named listeners brokers connect through the relay, where two restarts cannot be distinguished",
    variants=(PART,),
)

VARIANTS = (
    replace(
        SCENARIO,
        name=f"incident/rolling/{Order.CONTROLLER_FIRST}",
        story=CONTROLLER_FIRST,
        variants=(replace(PART, steps=(RestartAll(order=Order.CONTROLLER_FIRST), DumpLogs())),),
    ),
    replace(
        SCENARIO,
        name=f"incident/rolling/{Order.TWO_AT_ONCE}",
        story=TWO_AT_ONCE,
        variants=(
            replace(
                PART,
                expectation=replace(PART.expectation, codes=(6, 74, 19, 20), conforms=()),
                steps=(RestartAll(order=Order.TWO_AT_ONCE), DumpLogs()),
            ),
        ),
    ),
)
"""Two other orders. Two restarts at once block acks=all, which is no fault of the client: informative."""
