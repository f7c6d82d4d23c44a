"""A broker is killed, and dies again each time it is restarted, before it serves.

What the brokers do: the process is killed. Two seconds later it listens again, accepts connections and answers
nothing, as it is still recovering its logs, and dies 1.5 s later; again and again. It never gets as far as
registering, so the controller misses it after its session as in broker/kill, and its leaders move.
The error a client meets: closed and refused connections, and in between connections that are made and stay silent.
What a good client does: keeps asking other brokers; does not take a port that accepts for a broker that is well.
Source: a broker with a corrupt log or too little memory under a supervisor that restarts it.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: a broker that comes back whole (broker/rolling).
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
