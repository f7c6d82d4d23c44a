"""The application keeps a transaction open for longer than it may last, and then commits it.

What the brokers do: they serve. The coordinator aborts the transaction when transaction.timeout.ms is over, and raises
the producer epoch. What comes with the former epoch is refused.
The error a client meets: none while the transaction is open; then PRODUCER_FENCED (90, below version 2
INVALID_PRODUCER_EPOCH 47) to EndTxn, or INVALID_TXN_STATE (48) where each transaction has its own epoch (KIP-890).
What a good client does: reports the commit as failed, and goes on with another transaction; where the library documents
that the producer is of no use any more, it ends with that error. Nothing of the transaction is ever read.
Source: KIP-588; confluentinc/librdkafka #3297. In profile short-limits the transaction may last 10 s, and the
application takes 25 s, since brokers look for late transactions every 10 s; in other profiles 80 s.
Not covered: a process that is stopped meanwhile (client/paused); an application that writes again before it commits.
"""

from dataclasses import replace

from probe.model import Outcome, Role
from probe.scenarios.absences import variants_of_absence
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Absence, Scenario

SCENARIO = Scenario(
    name="txn/timed-out",
    story=__doc__,
    profile=profile_of("txn/timed-out"),
    variants=tuple(
        replace(
            variant,
            expectation=replace(variant.expectation, conforms=(*variant.expectation.conforms, Outcome.FATAL)),
        )
        for variant in variants_of_absence(Absence(short_ms=25_000, long_ms=80_000, busy=True), Role.TRANSACTIONAL)
    ),
)
