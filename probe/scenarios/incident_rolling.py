"""Every node is restarted with a controlled shutdown, one at a time, the controller last: as Kafka's guide says.

What the brokers do: the brokers that are not the controller go first, each hands over what it leads, ends, is back a
second later, and everything is in sync before the next one goes; the controller comes last. With ZooKeeper a broker is
the controller, and the office moves once. With KRaft the controller is a node of its own, which leads no partitions.
min.insync.replicas is 2, of three replicas. In the end the logs of all replicas are dumped by Kafka's own tool, and
compared with what is read.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), then closed connections, several times.
What a good client does: follows each time, loses nothing, and does not tell the application.
Source: every upgrade; the order is that of Kafka's own operations guide.
Not covered: a cluster with more than one KRaft controller; brokers that need long to be in sync again.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.real import DumpLogs, Order, RestartAll

CONTROLLER_FIRST = """Every node is restarted with a controlled shutdown, one at a time, the controller first.

What the brokers do: as in incident/rolling/controller-last, in the worst order for the controller: with ZooKeeper the
office moves to a broker that is to be restarted, and moves again, at worst with each restart.
The error a client meets: as there.
What a good client does: as there; the order should make no difference to it.
Source: a rolling restart by number, which does not ask who the controller is.
Not covered: as there.
"""
TWO_AT_ONCE = """Two of three brokers are restarted at once, with min.insync.replicas=2; then the third.

What the brokers do: both hand over what they lead to the third one and end together. It is the only replica in sync, so
it refuses acks=all with NOT_ENOUGH_REPLICAS (19) until one of them is back; acks=1 is served by one broker's word.
Groups cannot commit meanwhile.
The error a client meets: 6, closed connections, then 19 (or 20) for as long as a restart takes.
What a good client does: holds what it has to write, tries again, and writes all of it in the end.
Source: rolling restarts in batches, two brokers of a rack at a time.
Not covered: three at once (nobody leads); brokers that never return.
"""

BACK_MS = 90_000
"""All nodes are back by then: it takes 40 s where the machine has time, and twice that where it has not."""

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
    cluster=CLUSTER,
)

SCENARIO = Scenario(
    name=f"incident/rolling/{Order.CONTROLLER_LAST}",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    real_since="0.10.2",
    real_reason="before listeners had names brokers meet at the relay's ports, where two restarts are not told apart",
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
"""Two other orders. What two at once do to acks=all is the price of that order, not the client's fault: informative."""
