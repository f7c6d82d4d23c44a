"""The application rests for ten seconds, and idle connections are closed meanwhile.

What the brokers do: they close connections over which nothing has passed for 4 s, as with connections.max.idle.ms (10
minutes by default). New connections are served at once.
The error a client meets: the end of the stream (FIN) on connections that it does not use at the moment. The application
does nothing for 10 s and then works in a burst, every 10 ms for half a second. For readers it is 12 s of 17, since some
ask brokers to wait for records for up to 10 s.
What a good client does: connects again for the first operation of the burst, and retries what it wrote to a connection
that had ended, without an error. Nothing is lost, and an idempotent producer's records are in order and once. Readers
keep their connections busy and notice nothing.
Source: connections.max.idle.ms; sarama #3061 and #3689, KafkaJS #907 and #1725.
Not covered: connections that end without a word (net/idle-dropped); rests of minutes.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.idle_variants import variants_at_rest
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ExpireIdle

SCENARIO = Scenario(
    name="net/idle-closed",
    story=__doc__,
    profile=profile_of("net/idle-closed"),
    engines=(Engine.EMBEDDED,),
    variants=variants_at_rest(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.CLUSTER, prompt_ms=3000, watch_ms=20000),
        lambda after_ms: ExpireIdle(after_ms=after_ms),
    ),
)
