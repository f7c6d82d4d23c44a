"""A broker stops answering and keeps its connections.

What the brokers do: the process is frozen (SIGSTOP). The kernel still accepts connections and receives requests, but
nothing is ever answered. The controller considers it failed after its session (9 s on KRaft, 6 s on ZooKeeper), and its
leaders and coordinators move. Until then every broker names it.
The error a client meets: silence; its own request timeout, later.
What a good client does: gives up the connection at its own timeout, asks another broker, and goes to the new leader.
Prompt is that timeout plus 5 s. Work on other partitions continues meanwhile.
Source: SIGSTOP; long garbage collections, a disk or a virtual machine that stalls.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: what the broker does when it resumes (stale leaders that acknowledge: real brokers only).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, HangBroker, When

SCENARIO = Scenario(
    name="broker/hang",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(Symptom.SILENCE, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=5000, watch_ms=90000),
        HangBroker(),
        Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
        by_session=True,
        silent=True,
    ),
)
