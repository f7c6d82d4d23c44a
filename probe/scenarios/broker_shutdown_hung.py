"""A broker begins its shutdown, hands over its leaderships, and then hangs with its connections open.

What the brokers do: controlled shutdown moves its leaders and coordinators within 150 ms, and Metadata no longer lists
it. But the process does not end, and requests on its open connections are never answered until it is killed.
The error a client meets: silence from a broker that leads nothing any more; its own request timeout, later.
What a good client does: gives up the connection at its own timeout and asks another broker. A client that asks sooner,
for whatever reason, gets the new leader at once. Prompt is that timeout plus 5 s.
Source: shutdowns that wait for a disk or a lock forever, after request processing was stopped.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: a broker that answers while it shuts down (broker/shutdown).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, HangBroker, When

SCENARIO = Scenario(
    name="broker/shutdown-hung",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(
            Symptom.SILENCE, Reaction.DISCOVER, target=Target.LEADER, election_ms=150, prompt_ms=5000, watch_ms=90000
        ),
        HangBroker(),
        Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
        silent=True,
    ),
)
