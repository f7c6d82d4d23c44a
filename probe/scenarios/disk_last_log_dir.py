"""All log dirs of a broker die, and the broker halts.

What the brokers do: when its last log dir is offline the broker halts at once, without a controlled shutdown: its
connections end, its port refuses. Its partitions get other leaders once the controller considers it failed, as after a
kill.
The error a client meets: KAFKA_STORAGE_ERROR (56) perhaps, for a moment; then closed and refused connections.
What a good client does: as in broker/kill: keeps asking at its back-off, and goes to the new leader when there is one.
Source: LogManager.handleLogDirFailure ("Shutdown broker because all log dirs have failed"); a failed RAID controller;
brokers before 1.0 halt at the first dead log dir.
Not covered: groups and transactions, whose coordinator such a broker may be (broker/kill).
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.scenarios.broker_variants import LED
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import BreakLogDir, Held

SCENARIO = Scenario(
    name="disk/last-log-dir",
    story=__doc__,
    engines=(Engine.KAFKA,),
    variants=(
        RoleVariant(
            roles=LED,
            expectation=expect(
                Symptom.CONNECTION,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(56, 6),
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(BreakLogDir(holds=Held.EVERYTHING),),
            whole_broker=True,
            by_session=True,
        ),
    ),
)
