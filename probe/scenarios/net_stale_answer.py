"""An answer comes after the client has given its request up.

What the brokers do: they append the produced records, serve the fetch or commit the offsets at once. A proxy keeps the
first answer for the client's own request timeout, its longest back-off and two seconds more; answers behind it on the
same connection wait as well. New connections are served at once, and the leader stays.
The error a client meets: its own request timeout; then, if it has kept the connection, the answer to a request that it
has forgotten.
What a good client does: closes the connection or discards the answer, and retries. Prompt is that timeout and back-off
plus 5 s. It takes the late answer for no other, and reports nothing twice; an idempotent producer's records are in the
log once.
Source: congested proxies and brokers that pause; KafkaJS keeps a connection on which a request timed out.
Not covered: a broker that answers nothing (broker/hang); answers that are late within the timeout (net/slow).
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import KeepAnswers
from probe.scenarios.work_variants import variants_of_work

SCENARIO = Scenario(
    name="net/stale-answer",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=variants_of_work(
        expect(Symptom.SILENCE, Reaction.RETRY, target=Target.LEADER, prompt_ms=5000, watch_ms=90000),
        lambda apis: KeepAnswers(apis=apis, times=1, beyond_own_ms=2000),
        silent=True,
    ),
)
