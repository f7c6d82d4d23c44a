"""A producer dies in the middle of a transaction, and readers of committed records wait behind it.

What the brokers do: they go on appending, and end what such readers get at the last stable offset, which stays before
the open transaction. When its transaction.timeout.ms of 10 s is over, the coordinator aborts it; the offset moves on.
The error a client meets: none; empty answers until then, and afterwards records that it must leave out.
What a good client does: waits, then delivers all that was written behind the transaction, and none of its records.
Source: KIP-98; `kafka-transactions find-hanging` (KIP-664) is for transactions that no coordinator aborts. Readers get
isolation.level=read_committed, or what the library calls it; with read_uncommitted nothing keeps them waiting.
Not covered: a transaction that hangs for good (KIP-890); a reader that starts behind it.
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.transactions import LeaveTransactionOpen

TIMEOUT_MS, AFTERWARDS_MS, RECORDS = 10_000, 15_000, 10
LOOKS_OFTEN = ClusterSpec(properties=(("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000"),))
"""Real coordinators look for late transactions every 10 s by default."""

SCENARIO = Scenario(
    name="txn/left-open",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.CONSUMER, Role.GROUP),
            expectation=expect(
                Symptom.SILENCE,
                Reaction.NOTHING,
                target=Target.LEADER,
                prompt_ms=TIMEOUT_MS + 3000,
                watch_ms=TIMEOUT_MS + AFTERWARDS_MS,
            ),
            steps=(LeaveTransactionOpen(records=RECORDS, timeout_ms=TIMEOUT_MS),),
            watch_least_ms=TIMEOUT_MS + AFTERWARDS_MS,
            committed_only=True,
            cluster=LOOKS_OFTEN,
        ),
    ),
    since="0.11",
    since_reason="older brokers have no transactions (KIP-98)",
)
