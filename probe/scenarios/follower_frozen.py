"""The follower that serves a reader stops answering and keeps its connections; the leader stays.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
broker's process is frozen (SIGSTOP). The leader stays in office and serves. For the broker's session (9 s on KRaft, 6 s
on ZooKeeper) the leader goes on to send the reader to the frozen follower; then that leaves the ISR and Metadata.
The error a client meets: silence; its own request timeout, later.
What a good client does: gives the connection up at its own timeout and asks the leader. Prompt is that timeout plus
5 s.
Source: KIP-392; long garbage collections, a disk or a virtual machine that stalls.
Not covered: what the follower does when it resumes.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.follower_variants import variants_of_a_follower
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, HangBroker, When

SCENARIO = Scenario(
    name="follower/frozen",
    story=__doc__,
    asked=True,
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_follower(
        expect(Symptom.SILENCE, Reaction.RETRY, target=Target.FOLLOWER, prompt_ms=5000, watch_ms=90000),
        HangBroker(),
        Evacuate(when=When(elected=True), leaves=True),
        by_session=True,
        silent=True,
    ),
)
