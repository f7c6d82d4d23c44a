"""The generated families: `answer/<api>/<ERROR>`, `hold/`, `blip/`, and `applied/produce/<ERROR>`.

Each is one fault state for any error of Kafka's protocol table. The expectation follows from the error's class in that
API (`probe.scenarios.error_answers`). A combination outside that list runs on request and is informative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from probe.model import Engine, Expectation, Outcome, Reaction, Reality, Role, Symptom, Target, Trigger
from probe.model.group_settings import GroupProtocol
from probe.model.release_lines import Since
from probe.model.roles import ROLES
from probe.protocol.names import error_code, error_name
from probe.scenarios.answer_times import HOLD_MS, due_ms, longer_ms, protocol, waits
from probe.scenarios.controllers import FORWARDED
from probe.scenarios.error_answers import (
    APIS,
    MAY_BE_FATAL,
    MAY_SURFACE,
    NEEDS_ACKS_ALL,
    NEEDS_EPOCH,
    NEEDS_NODE,
    WHOLE_TOPIC,
    WITH_OFFSETS,
    Answer,
    Api,
    ErrorClass,
    answer_of,
    find_api,
    listed,
)
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import CAUSES, CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import AnswerError
from probe.scenarios.steps.step import Step

HOLD_STARTING = 8
"""Number of answers of `hold` in an API that clients call at their start, since the time of that call is unknown."""
WHO = {Target.COORDINATOR: "coordinator", Target.CONTROLLER: "controller"}
BLIP, APPLIED = 2, 3
"""Number of answers."""

EXPECTED = {
    ErrorClass.MOVED: Reaction.RETRY,
    ErrorClass.RETRIABLE: Reaction.RETRY,
    ErrorClass.FINAL: Reaction.SURFACE,
    ErrorClass.OTHER: Reaction.RETRY,
}
"""Required reaction while the target does not move, by class."""


@dataclass(frozen=True, slots=True)
class Template:
    """One of the generated families."""

    prefix: str
    story: str
    build: Callable[[Api, Answer, Role], RoleVariant | None]


def _answer(api: Api, answer: Answer, role: Role) -> RoleVariant:
    judged = answer.kind is ErrorClass.MOVED
    made = expect(
        Symptom.ANSWER,
        Reaction.DISCOVER,
        target=api.target,
        codes=_codes(answer),
        apis=(api.key,),
        causes=(*api.causes, *CAUSES[Symptom.ANSWER]),
        election_ms=150,
        prompt_ms=due_ms(api, answer, 3000),
        watch_ms=20000 if api.target is Target.COORDINATOR else 10000,
        informative=not judged,
        reality=Reality.EFFECTIVE if judged else Reality.RAW,
    )
    return _variant(api, role, made, answer, _step(api, answer, moved=True))


def _hold(api: Api, answer: Answer, role: Role) -> RoleVariant:
    made = _without_a_move(api, answer, judged=answer.kind is ErrorClass.RETRIABLE)
    if api.starting:
        return _variant(api, role, made, answer, _step(api, answer, times=HOLD_STARTING))
    return _variant(api, role, made, answer, _step(api, answer), heal_after_ms=HOLD_MS + longer_ms(api, answer, role))


def _blip(api: Api, answer: Answer, role: Role) -> RoleVariant:
    judged = answer.kind in (ErrorClass.RETRIABLE, ErrorClass.FINAL)
    return _variant(api, role, _without_a_move(api, answer, judged=judged), answer, _step(api, answer, times=BLIP))


def _applied(api: Api, answer: Answer, role: Role) -> RoleVariant | None:
    if api.name != "produce":
        return None
    made = _without_a_move(api, answer, judged=answer.kind is ErrorClass.RETRIABLE, prompt_ms=3000)
    return _variant(api, role, made, answer, _step(api, answer, times=APPLIED, applied=True))


def _codes(answer: Answer) -> tuple[int, ...]:
    """Return the code, and with 56 also the 6 that brokers return instead for old request versions."""
    return (56, 6) if answer.code == 56 else (answer.code,)


def _step(api: Api, answer: Answer, *, times: int = 0, moved: bool = False, applied: bool = False) -> AnswerError:
    return AnswerError(
        api=api.key,
        code=answer.code,
        times=times,
        moved=moved,
        applied=applied,
        acks_all=(api.name, answer.code) in NEEDS_ACKS_ALL,
        with_epoch=answer.code in NEEDS_EPOCH and api.target is Target.LEADER,
        with_node=(api.name, answer.code) in NEEDS_NODE,
        min_version=answer.since,
        whole_topic=(api.name, answer.code) in WHOLE_TOPIC,
    )


def _variant(
    api: Api, role: Role, made: Expectation, answer: Answer, step: AnswerError, heal_after_ms: int | None = None
) -> RoleVariant:
    """Return a variant in which a step before the error makes the client call the API; an admin calls it by itself."""
    before: tuple[Step, ...] = () if ROLES[role].asks else api.before
    return RoleVariant(
        roles=(role,),
        expectation=made,
        steps=(*before, step),
        heal_after_ms=heal_after_ms,
        acks_all=step.acks_all,
        offsets=api.name in WITH_OFFSETS,
        at_start=api.starting,
        whole_broker=api.connecting,
        group_protocol=protocol(api, answer),
    )


def _without_a_move(api: Api, answer: Answer, *, judged: bool, prompt_ms: int = 2000) -> Expectation:
    expects = EXPECTED[answer.kind]
    also: tuple[Outcome, ...] = ()
    if (api.name, answer.code) in MAY_SURFACE:
        also = (Outcome.SURFACES,)
    elif expects is Reaction.SURFACE and answer.code in MAY_BE_FATAL:
        also = (Outcome.FATAL,)
    return Expectation(
        kind=Symptom.ANSWER,
        expects=expects,
        target=Target.CLUSTER if (api.name, answer.code) in WHOLE_TOPIC else api.target,
        codes=_codes(answer),
        apis=(api.key,),
        causes=(Trigger.ERROR,),
        prompt_ms=due_ms(api, answer, prompt_ms),
        watch_ms=10000 if protocol(api, answer) is not GroupProtocol.CONSUMER else 20000,
        conforms=(*CONFORMS[expects], *also) if judged else (),
        reality=Reality.RAW if answer.kind is ErrorClass.OTHER else Reality.EFFECTIVE,
    )


TEMPLATES = (
    Template(
        "answer",
        "The old {who} answers {error} to {api} until reverted; the new one takes over 150 ms after the first hit.\n\n"
        "What a good client does: asks for the new {who} because of the error, and goes there.\n"
        "Class {kind} in this API. Source: {source}.",
        _answer,
    ),
    Template(
        "hold",
        "{error} is answered to {api} {long}, and the {who} stays; then it serves again.\n\n"
        "What a good client does: waits and tries again without an error (class R), or reports one (class F).\n"
        "Class {kind} in this API. Source: {source}.",
        _hold,
    ),
    Template(
        "blip",
        "{error} is answered to {api} twice, and the {who} stays; then it serves again.\n\n"
        "What a good client does: tries again after its back-off (class R), or reports an error (class F).\n"
        "Class {kind} in this API. Source: {source}.",
        _blip,
    ),
    Template(
        "applied",
        "The leader appends the records of {api} and answers {error} nevertheless, three times.\n\n"
        "What a good client does: tries again; only an idempotent producer can do so without a duplicate.\n"
        "Class {kind} in this API. Source: {source}.",
        _applied,
    ),
)


def scenario(name: str) -> Scenario | None:
    """Build the scenario of a generated name; None if the name is not of that form.

    Raises UnknownNameError (a ValueError) for an error or API name that Kafka does not have.
    """
    prefix, _, rest = name.partition("/")
    template = next((item for item in TEMPLATES if item.prefix == prefix), None)
    api_name, _, error = rest.partition("/")
    api = find_api(api_name)
    if template is None or api is None or not error:
        return None
    answer = answer_of(api, error_code(error))
    built = (template.build(api, answer, role) for role in answer.roles or api.roles)
    variants = tuple(variant for variant in built if variant is not None)
    if not variants:
        return None
    anew = protocol(api, answer) is GroupProtocol.CONSUMER
    return Scenario(
        name=f"{prefix}/{api.name}/{error_name(answer.code)}",
        story=_story(template, api, answer),
        variants=variants,
        engines=(Engine.EMBEDDED,),
        until=api.until,
        until_reason=FORWARDED if api.until else "",
        since=Since.NEW_GROUPS.line if anew else api.line,
        since_reason=Since.NEW_GROUPS.reason if anew else api.line_reason,
        profile=profile_of(name),
    )


def _story(template: Template, api: Api, answer: Answer) -> str:
    return template.story.format(
        error=f"{error_name(answer.code)} ({answer.code})",
        api=api.name,
        kind=answer.kind,
        source=answer.source,
        who=WHO.get(api.target, "leader"),
        long=_how_long(api, answer),
    )


def _how_long(api: Api, answer: Answer) -> str:
    if api.starting:
        return "eight times"
    if protocol(api, answer) is GroupProtocol.CONSUMER:
        return "for 9 s, in which a member of the new group protocol sends a heartbeat or two"
    longer = any(waits(api, role) for role in api.roles)
    return "for 3 s" + (" (for 6 s where another step must make a group member call it)" if longer else "")


def defaults() -> Iterator[Scenario]:
    """Yield the generated scenarios of the default catalogue."""
    for template, api in product(TEMPLATES, APIS):
        names = (f"{template.prefix}/{api.name}/{error}" for error in listed(api, template.prefix))
        yield from filter(None, map(scenario, names))
