"""A broker freezes for 14 s and resumes: for a moment it assumes that it still leads.

What the brokers do: the process is frozen (SIGSTOP) and resumes 14 s later (SIGCONT). The controller considers it
failed after its session (9 s on KRaft, 6 s on ZooKeeper) and elects other leaders. When it resumes it processes what
lies in its sockets as if nothing had happened. For 0.1 to 2.3 s it acknowledges writes with acks=1, which are truncated
from its log when it follows again. Then it answers NOT_LEADER_OR_FOLLOWER (6).
The error a client meets: silence; then 6, or an acknowledgement of records that are lost.
What a good client does: gives up at its own timeout, or waits longer than 14 s, receives the 6 and goes to the new
leader. With acks=all nothing acknowledged is lost. With acks=1 it may be lost, which is counted, not judged.
Source: long garbage collections, live migration of virtual machines; observed on 2.6.2, 3.9.2 and 4.3.1.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: freezes shorter than the session, which change nothing.
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import HangBroker, ReturnBroker, When

FROZEN_MS = 14_000

SCENARIO = Scenario(
    name="broker/frozen",
    story=__doc__,
    engines=(Engine.KAFKA,),
    variants=variants_of_a_broker(
        expect(
            Symptom.SILENCE, Reaction.DISCOVER, target=Target.LEADER, codes=(6, 16, 74), prompt_ms=5000, watch_ms=90000
        ),
        HangBroker(),
        ReturnBroker(when=When(after_ms=FROZEN_MS)),
        by_session=True,
        silent=True,
    ),
)
