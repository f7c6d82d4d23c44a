"""All three brokers restart at once: no coordinator is left, and the first broker to return loads for a long time.

What the brokers do: __consumer_offsets was never compacted (log.cleaner.enable=false) and holds 24,000 entries in each
of its 6 partitions. After a broker's start each read of its closed segments is slow. All brokers get SIGTERM at the
same moment: the first hands over to the second, the last finds no broker to hand over to and gives up after three
attempts. The first broker to return leads every partition it has, in sync or not (0.9 elects such leaders by default),
and loads one partition after the other. 60 s after the first signal reads are fast again.
The error a client meets: closed and refused connections; COORDINATOR_NOT_AVAILABLE (15) from FindCoordinator. The
broker that FindCoordinator names then answers NOT_COORDINATOR (16) while it loads other partitions first, and
COORDINATOR_LOAD_IN_PROGRESS (14) while it loads the group's own. After an unclean election, OFFSET_OUT_OF_RANGE (1).
What a good client does: tries again until there is a coordinator that has loaded, keeps its group and its position.
Source: the incident's operators restarted all brokers to get rid of the broken connections of incident/unknown-api-key.
0.9's GroupMetadataManager loads on one thread, and knows the newest commit of a key only after it has read all entries.
Not covered: how long compaction would have taken; the same with brokers that are killed.
"""

from dataclasses import replace

from probe.model import Engine, Reaction, Role, Symptom, Target
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.coordinators import FillOffsets, RestartBrokers

TWO_AT_MOST = """Two coordinators restart at once, then the third one: there is always a broker that leads.

What the brokers do: as in incident/coordinators-restart, but the broker that coordinates and another one are restarted
first, and the third one when both are back and in sync. Each hands over its leaderships (controlled shutdown).
The error a client meets: 16 and 14 for as long as the broker that takes over loads, closed connections; twice.
What a good client does: follows, waits, and continues.
Source: the procedure that the incident's operators chose for the next time.
Not covered: waiting, in addition, until the coordinators have loaded.
"""

DELETED = """The brokers' offsets are deleted by hand while they are down, so that nothing has to be loaded.

What the brokers do: all restart at once as in incident/coordinators-restart. While they are down an operator deletes
the segments of __consumer_offsets. The brokers then have nothing to load and serve quickly. Groups have no members and
no committed offsets any more.
The error a client meets: as after a restart; then UNKNOWN_MEMBER_ID (25), and after the new join no committed offset.
What a good client does: joins again and starts where auto.offset.reset says, as it must: here at the beginning, so
everything is delivered again. With `latest`, records written meanwhile would be skipped silently.
Source: the incident's operators did it when loading took too long.
Not covered: positions that an application stores elsewhere.
"""

READ_MS = 1
ENTRIES = 24_000
ALL, TWO = ((0, 1, 2),), ((0, 1), (2,))
CODES = (14, 15, 16, 25, 22, 3, 5, 6)

_CLUSTER = ClusterSpec(properties=(("log.cleaner.enable", "false"), ("offsets.load.buffer.size", "65536")))
_GROUP = RoleVariant(
    roles=(Role.GROUP,),
    expectation=expect(
        Symptom.CONNECTION,
        Reaction.RETRY,
        target=Target.COORDINATOR,
        codes=CODES,
        informative=True,
        prompt_ms=5000,
        watch_ms=120_000,
    ),
    steps=(FillOffsets(entries=ENTRIES), RestartBrokers(waves=ALL, offsets_read_ms=READ_MS)),
    heal_after_ms=60_000,
    watch_least_ms=70_000,
    whole_broker=True,
    cluster=_CLUSTER,
)


def _parts(*, group: RoleVariant) -> tuple[RoleVariant, ...]:
    """Return a variant for groups, and one for producers and consumers, whose leaders stop with the coordinators."""
    led = replace(
        group, roles=(Role.PRODUCER, Role.CONSUMER), expectation=replace(group.expectation, target=Target.LEADER)
    )
    return group, led


SCENARIO = Scenario(
    name="incident/coordinators-restart",
    story=__doc__,
    engines=(Engine.KAFKA,),
    asked=True,
    variants=_parts(group=_GROUP),
)

VARIANTS = (
    replace(
        SCENARIO,
        name="incident/coordinators-restart/two-at-most",
        story=TWO_AT_MOST,
        variants=_parts(
            group=replace(_GROUP, steps=(_GROUP.steps[0], RestartBrokers(waves=TWO, offsets_read_ms=READ_MS)))
        ),
    ),
    replace(
        SCENARIO,
        name="incident/offsets-deleted",
        story=DELETED,
        variants=(replace(_GROUP, steps=(_GROUP.steps[0], RestartBrokers(waves=ALL, delete_offsets=True))),),
    ),
)
