"""Packets to and from a broker are dropped: requests stay unanswered, connections cannot be made.

What the brokers do: the broker is cut off from clients and from the controller. The controller considers it failed
after its session (9 s on KRaft, 6 s on ZooKeeper). Its leaders and coordinators move, and Metadata no longer lists it.
The error a client meets: silence on open connections; new ones are neither accepted nor refused.
What a good client does: gives up at its own timeout, asks another broker, and goes to the new leader. Prompt is that
timeout plus 5 s, since a silence cannot be noticed sooner.
Source: a switch or host that dies, firewall rules with DROP; connection attempts hang as with a full backlog.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: one direction only; a broker that only its clients cannot reach.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Blackhole, Evacuate, HangBroker, When

SCENARIO = Scenario(
    name="net/blackhole",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(Symptom.SILENCE, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=5000, watch_ms=90000),
        Blackhole(),
        HangBroker(),
        Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
        by_session=True,
        silent=True,
    ),
)
