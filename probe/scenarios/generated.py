"""The generated families: `answer/<api>/<ERROR>`, `hold/<api>/<ERROR>`, `blip/<api>/<ERROR>`.

Each is one fault state for any error of Kafka's protocol table. What is expected follows from the error's class in
that API (`probe.scenarios.errors`); a combination outside that list runs on request and is informative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from probe.model import Engine, Expects, Kind, Play, Reality, Target
from probe.protocol.names import error_code, error_name
from probe.scenarios.errors import APIS, Api, ErrorClass, class_of, find_api, listed
from probe.scenarios.scenario import Part, Scenario, play
from probe.scenarios.steps import AnswerError

HOLD_MS = 3000
"""How long `hold` answers the error: beyond three default back-offs of every client known, sarama's consumer apart."""

EXPECTED = {
    ErrorClass.MOVED: Expects.RETRY,
    ErrorClass.RETRIABLE: Expects.RETRY,
    ErrorClass.FINAL: Expects.SURFACE,
    ErrorClass.OTHER: Expects.RETRY,
}
"""What is expected while the target stays where it is."""


@dataclass(frozen=True, slots=True)
class Template:
    """One of the three generated families."""

    prefix: str
    story: str
    default: tuple[ErrorClass, ...]
    """Classes whose errors are in the default catalogue."""
    build: Callable[[Api, int, ErrorClass], Part]


def _answer(api: Api, code: int, kind: ErrorClass) -> Part:
    judged = kind is ErrorClass.MOVED
    base = play(
        Kind.ANSWER,
        Expects.DISCOVER,
        target=Target.LEADER,
        codes=(code,),
        apis=(api.key,),
        election_ms=150,
        prompt_ms=3000,
        watch_ms=10000,
        informative=not judged,
        reality=Reality.EFFECTIVE if judged else Reality.RAW,
    )
    return Part(roles=api.roles, play=_old_fetch(base), steps=(AnswerError(api=api.key, code=code, moved=True),))


def _old_fetch(base: Play) -> Play:
    """Count the 6 that brokers put in the place of 56 for old request versions."""
    return replace(base, codes=(56, 6)) if base.codes == (56,) else base


def _hold(api: Api, code: int, kind: ErrorClass) -> Part:
    return Part(
        roles=api.roles,
        play=_in_place(api, code, kind, judged=kind is ErrorClass.RETRIABLE, watch_ms=10000),
        steps=(AnswerError(api=api.key, code=code),),
        heal_after_ms=HOLD_MS,
    )


def _blip(api: Api, code: int, kind: ErrorClass) -> Part:
    judged = kind in (ErrorClass.RETRIABLE, ErrorClass.FINAL)
    return Part(
        roles=api.roles,
        play=_in_place(api, code, kind, judged=judged, watch_ms=10000),
        steps=(AnswerError(api=api.key, code=code, times=2),),
    )


def _in_place(api: Api, code: int, kind: ErrorClass, *, judged: bool, watch_ms: int) -> Play:
    return play(
        Kind.ANSWER,
        EXPECTED[kind],
        target=Target.LEADER,
        codes=(code,),
        apis=(api.key,),
        prompt_ms=2000,
        watch_ms=watch_ms,
        informative=not judged,
        reality=Reality.RAW if kind is ErrorClass.OTHER else Reality.EFFECTIVE,
    )


TEMPLATES = (
    Template(
        "answer",
        "The old leader answers {error} to {api} until healed; the new one is in office 150 ms after the first hit.\n\n"
        "What a good client does: asks for metadata because of the error, and goes to the new leader.\n"
        "Class {kind} in this API. Source: {source}.",
        (ErrorClass.MOVED,),
        _answer,
    ),
    Template(
        "hold",
        "The leader answers {error} to {api} for 3 s and stays the leader; then it serves again.\n\n"
        "What a good client does: waits and tries again in silence (class R), or tells the application (class F).\n"
        "Class {kind} in this API. Source: {source}.",
        (ErrorClass.RETRIABLE,),
        _hold,
    ),
    Template(
        "blip",
        "The leader answers {error} to {api} twice and stays the leader; then it serves again.\n\n"
        "What a good client does: tries again after its back-off (class R), or tells the application (class F).\n"
        "Class {kind} in this API. Source: {source}.",
        (ErrorClass.RETRIABLE, ErrorClass.FINAL),
        _blip,
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
    code = error_code(error)
    kind, source = class_of(api, code)
    story = template.story.format(error=f"{error_name(code)} ({code})", api=api.name, kind=kind, source=source)
    return Scenario(
        name=f"{prefix}/{api.name}/{error_name(code)}",
        story=story,
        parts=(template.build(api, code, kind),),
        engines=(Engine.EMBEDDED,),
    )


def defaults() -> Iterator[Scenario]:
    """Yield the generated scenarios of the default catalogue."""
    for template in TEMPLATES:
        for api in APIS:
            for error in listed(api, *template.default):
                if built := scenario(f"{template.prefix}/{api.name}/{error}"):
                    yield built
