"""Packets to and from a broker are dropped: requests stay unanswered, connections cannot be made.

What the brokers do: the broker is cut off from clients and from the controller alike, which misses it after its
session (9 s on KRaft, 6 s on ZooKeeper); its leaders and coordinators move, and Metadata lists it no more.
The error a client meets: silence on open connections; new ones are neither accepted nor refused.
What a good client does: gives up at its own timeout, asks another broker, and goes to the new leader. Prompt is that
timeout and 5 s more: nobody sees a silence sooner.
Source: a switch or host that dies, firewall rules with DROP; connecting hangs as it does with a full backlog.
Not covered: one direction only; a broker that is alone in being unreachable.
"""

from probe.model import Expects, Kind, Target
from probe.scenarios.broker_steps import Blackhole, Evacuate, HangBroker, When
from probe.scenarios.scenario import CLIENT_ROLES, Part, Scenario, play

SCENARIO = Scenario(
    name="net/blackhole",
    story=__doc__,
    parts=(
        Part(
            roles=CLIENT_ROLES,
            play=play(Kind.SILENCE, Expects.DISCOVER, target=Target.LEADER, prompt_ms=5000, watch_ms=90000),
            steps=(Blackhole(), HangBroker(), Evacuate(when=When(elected=True), leaves=True, loading_ms=300)),
            whole_broker=True,
            by_session=True,
            prompt_beyond_own_ms=5000,
        ),
    ),
)
