"""The application rests for ten seconds, and a balancer forgets idle connections meanwhile.

What the brokers do: nothing. A balancer drops all that passes over connections that were idle for 4 s, and closes none
of them: they are half open. New connections are served at once.
The error a client meets: silence on connections that it has used before. The application does nothing for 10 s and then
works in a burst, every 10 ms for half a second. For readers it is 12 s of 17, as in net/idle-closed.
What a good client does: gives the first request up at its own timeout, connects again and retries, without an error.
Prompt is that timeout plus 5 s. Nothing is lost, and an idempotent producer's records are in order and once. Readers
keep their connections busy and notice nothing.
Source: the idle timeouts of balancers and NAT (350 s at AWS, 4 minutes at Azure); librdkafka #3109, which is why it has
connections.max.idle.ms. No TCP timeout helps here, since the relay's kernel acknowledges what it drops.
Not covered: a balancer that answers with a reset (net/reset); rests of minutes.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.idle_variants import variants_at_rest
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ExpireIdle

SCENARIO = Scenario(
    name="net/idle-dropped",
    story=__doc__,
    profile=profile_of("net/idle-dropped"),
    engines=(Engine.EMBEDDED,),
    variants=variants_at_rest(
        expect(Symptom.SILENCE, Reaction.RETRY, target=Target.CLUSTER, prompt_ms=5000, watch_ms=90000),
        lambda after_ms: ExpireIdle(after_ms=after_ms, forgotten=True),
        silent=True,
    ),
)
