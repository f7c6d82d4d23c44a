"""A broker is killed, and ends again after every restart before it serves.

What the brokers do: the process is killed. Two seconds later it listens again, accepts connections and answers nothing,
as it is still recovering its logs. It ends 1.5 s later, and the cycle repeats. It never gets as far as registering, so
the controller considers it failed after its session as in broker/kill, and its leaders move.
The error a client meets: closed and refused connections, and in between connections that are accepted and stay silent.
What a good client does: keeps asking other brokers; does not regard a broker as healthy because its port accepts.
Source: a broker with a corrupt log or too little memory under a supervisor that restarts it.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: a broker whose restart succeeds (broker/rolling).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, HangBroker, StopBroker, When

DOWN_MS, RECOVERING_MS, LIVES = 2000, 1500, 5

LOOP = tuple(
    step
    for life in range(LIVES)
    for step in (
        HangBroker(when=When(after_ms=DOWN_MS + life * (DOWN_MS + RECOVERING_MS))),
        StopBroker(when=When(after_ms=(life + 1) * (DOWN_MS + RECOVERING_MS))),
    )
)

SCENARIO = Scenario(
    name="broker/restart-loop",
    story=__doc__,
    variants=variants_of_a_broker(
        expect(Symptom.CONNECTION, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=3000, watch_ms=15000),
        StopBroker(),
        *LOOP,
        Evacuate(when=When(elected=True), leaves=True, loading_ms=300),
        by_session=True,
    ),
)
