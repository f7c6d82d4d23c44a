"""Another producer starts with the client's transactional id, as when an application runs twice by mistake.

What the brokers do: the coordinator aborts the transaction that is open and raises the producer epoch (InitProducerId).
The former producer is fenced for good.
The error a client meets: PRODUCER_FENCED (90, below version 2 INVALID_PRODUCER_EPOCH 47) to AddPartitionsToTxn, EndTxn
or InitProducerId; INVALID_PRODUCER_EPOCH to Produce; INVALID_TXN_STATE (48) where each transaction has its own epoch.
What a good client does: says that it is fenced, and commits nothing any more. It does not take the id back by itself.
Source: KIP-98, KIP-360, KIP-890; spring-kafka #1408 (two producers of one application race for the id).
Not covered: a second producer that writes; one that starts while the coordinator moves.
"""

from dataclasses import replace

from probe.model import Outcome, Reaction, Role, Symptom, Target
from probe.protocol.apis import ADD_PARTITIONS_TO_TXN, END_TXN, INIT_PRODUCER_ID, PRODUCE
from probe.protocol.names import error_code
from probe.scenarios.scenario import CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.transactions import UseTransactionalId

CODES = tuple(
    map(
        error_code,
        (
            "INVALID_PRODUCER_EPOCH",
            "INVALID_TXN_STATE",
            "INVALID_PRODUCER_ID_MAPPING",
            "PRODUCER_FENCED",
            "TRANSACTION_ABORTABLE",
        ),
    )
)

_EXPECTATION = expect(
    Symptom.ANSWER,
    Reaction.SURFACE,
    target=Target.COORDINATOR,
    codes=CODES,
    apis=(PRODUCE, ADD_PARTITIONS_TO_TXN, END_TXN, INIT_PRODUCER_ID),
    prompt_ms=5000,
    watch_ms=10_000,
)

SCENARIO = Scenario(
    name="txn/fenced",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.TRANSACTIONAL,),
            expectation=replace(_EXPECTATION, conforms=(*CONFORMS[Reaction.SURFACE], Outcome.FATAL)),
            steps=(UseTransactionalId(),),
        ),
    ),
)
