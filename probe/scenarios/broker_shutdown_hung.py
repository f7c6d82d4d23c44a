"""A broker is told to stop, hands over what it leads, and then hangs with its connections open.

What the brokers do: controlled shutdown moves its leaders and coordinators within 150 ms, and Metadata lists it no
more; but the process does not end, and what clients still have there is never answered, until somebody kills it.
The error a client meets: silence from a broker that leads nothing any more; its own request timeout, later.
What a good client does: gives up the connection at its own timeout and asks another broker. One that asks sooner, for
whatever reason, is told at once. Prompt is that timeout and 5 s more.
Source: shutdowns that wait for a disk or a lock for ever, after request processing was stopped.
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
