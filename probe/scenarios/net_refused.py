"""Connections to the leader are refused; later its leaders are moved to other brokers.

What the brokers do: nothing at first. A firewall resets the connections of clients to one broker and refuses new ones.
The brokers still reach each other, so Metadata continues to name it. After 2 s its leaders and coordinators are moved
away; it stays in Metadata's list.
The error a client meets: a reset, then refused connections (ECONNREFUSED) to a broker that metadata names.
What a good client does: asks other brokers at its back-off, no faster, and goes to the new leader when it is named.
Source: firewall rules with REJECT, a listener or load balancer that is gone, a wrong security group.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: a broker that is dead for the cluster, too (broker/kill); packets that are dropped (net/blackhole).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, RefuseConnections, When

SCENARIO = Scenario(
    name="net/refused",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(
            Symptom.CONNECTION,
            Reaction.DISCOVER,
            target=Target.LEADER,
            election_ms=2000,
            prompt_ms=3000,
            watch_ms=15000,
        ),
        RefuseConnections(),
        Evacuate(when=When(elected=True), loading_ms=300),
    ),
)
