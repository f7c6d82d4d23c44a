"""A broker is killed without a controlled shutdown; no other leader is elected until its session ends.

What the brokers do: the process is killed (SIGKILL): connections end, the port refuses. The controller considers it
failed after 9 s (KRaft, broker.session.timeout.ms) or 6 s (ZooKeeper). Until then every broker names the dead one as
leader and coordinator. Then its leaders and coordinators move, and Metadata no longer lists it.
The error a client meets: a closed connection, refused connections, and metadata that sends it back to a dead broker.
What a good client does: keeps asking at its back-off, no faster; keeps the records that it has accepted; goes to the
new leader when there is one.
Source: SIGKILL on real brokers: 8.6 s on 3.9.2, 5 to 6.4 s on ZooKeeper lines; out-of-memory kills, power failures,
panics.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: the broker's return; replicas that were not in sync.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, StopBroker, When

SCENARIO = Scenario(
    name="broker/kill",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(Symptom.CONNECTION, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=3000, watch_ms=15000),
        StopBroker(),
        Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
        by_session=True,
    ),
)
