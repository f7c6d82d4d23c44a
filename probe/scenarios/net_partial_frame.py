"""A connection ends in the middle of an answer, three times.

What the brokers do: they append the produced records, serve the fetch or commit the offsets. The connection ends inside
the answer: after two bytes of its length, on the next connection after its header, on the third before its last byte.
The leader stays.
The error a client meets: a part of an answer, and then the end of the stream (FIN); it cannot know what was processed.
What a good client does: discards the part, connects again and retries. It reports no acknowledgement and no record that
it did not read whole, and an idempotent producer's records are in the log once.
Source: a broker or a proxy that dies while it writes; net/response-lost is the same without the part.
Not covered: an answer whose bytes are changed; a length that promises too much.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import CutAnswers
from probe.scenarios.work_variants import variants_of_work

SCENARIO = Scenario(
    name="net/partial-frame",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    variants=variants_of_work(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.LEADER, prompt_ms=5000, watch_ms=15000),
        lambda apis: CutAnswers(apis=apis),
    ),
)
