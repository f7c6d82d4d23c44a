"""A page per scenario: its story, what a good client does, and which clients survive it (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.scenarios_page import LABEL
from probe.model import Reaction, Reality, Role
from probe.model.outcomes import OUTCOMES
from probe.protocol.names import error_name
from probe.scenarios.scenario import RoleVariant, Scenario
from probe.site.data.cell_index import CellIndex, Setting, in_roles, setting, setting_key
from probe.site.data.matrix_rows import MatrixRow
from probe.site.pages.survival import Fate, Survival, survival

EXPECTED = {
    Reaction.DISCOVER: "asks who serves now because of the fault, or follows a hint, and goes there",
    Reaction.RETRY: "tries again in place until the brokers are well",
    Reaction.SURFACE: "tells its application",
    Reaction.NOTHING: "has nothing to notice",
}
"""What a good client does."""


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario's own words."""

    summary: str
    sections: tuple[tuple[str, str], ...]
    """Heading and text."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a scenario asks of some roles."""

    roles: str
    kind: str
    good: str
    codes: str
    prompt: str
    watch: str
    conforms: str


@dataclass(frozen=True, slots=True)
class Group:
    """How all families fare in one role and setting, the best first."""

    setting: Setting
    families: tuple[Survival, ...]
    judged: bool


@dataclass(frozen=True, slots=True)
class InRole:
    """One role of a scenario's page."""

    role: Role
    groups: tuple[Group, ...]
    """The most usual setting first."""


@dataclass(frozen=True, slots=True)
class Score:
    """A scenario in one line."""

    name: str
    summary: str
    judged: int
    good: int
    stops: int
    cells: int
    families: str
    """Families of which every judged cell conforms."""


def find(name: str) -> Scenario | None:
    """Return a scenario by name; None for one that this program does not know any more."""
    try:
        return next((one for one in select_scenarios([name]) if one.name == name), None)
    except CatalogueError:
        return None


def story(scenario: Scenario | None) -> Story:
    """Divide a scenario's docstring at its labels."""
    if scenario is None:
        return Story("", ())
    intro, *rest = LABEL.split(scenario.story.strip())
    head, _, more = intro.partition("\n")
    sections = [(label, " ".join(text.split())) for label, text in zip(rest[::2], rest[1::2], strict=False)]
    if more.strip():
        sections.insert(0, ("", " ".join(more.split())))
    return Story(head.strip(), tuple(sections))


def questions(scenario: Scenario | None) -> list[Question]:
    """Say what a scenario asks, per role."""
    return [_questions(part) for part in scenario.variants] if scenario is not None else []


def _questions(part: RoleVariant) -> Question:
    played = part.expectation
    judged = played.conforms and played.reality is Reality.EFFECTIVE
    own = part.prompt_beyond_own_ms is not None
    return Question(
        ", ".join(part.roles),
        str(played.kind),
        EXPECTED[played.expects],
        ", ".join(f"{error_name(code)} ({code})" for code in played.codes),
        "its own time-out" if own else f"{played.prompt_ms / 1000:g} s",
        f"{played.watch_ms / 1000:g} s",
        ", ".join(played.conforms) if judged else "",
    )


def parts(rows: Sequence[MatrixRow]) -> list[InRole]:
    """Tell a scenario's rows role by role, family by family."""
    return [InRole(role, tuple(_groups(own))) for role, own in in_roles(rows).items()]


def _groups(rows: Sequence[MatrixRow]) -> list[Group]:
    found: dict[Setting, list[MatrixRow]] = {}
    for row in rows:
        found.setdefault(setting(row.cell), []).append(row)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), setting_key(item[0])))
    return [_group(one, own) for one, own in ordered]


def _group(one: Setting, rows: Sequence[MatrixRow]) -> Group:
    families = [survival(list(own)) for _, own in groupby(rows, key=lambda row: row.cell.family)]
    order = list(Fate)
    families.sort(key=lambda item: (order.index(item.fate), item.family))
    return Group(one, tuple(families), judged=any(item.fate is not Fate.UNKNOWN for item in families))


def scores(answers: CellIndex) -> list[Score]:
    """Return every scenario in one line."""
    return [_score(name, answers.of_scenario(name)) for name in answers.scenarios]


def _score(name: str, rows: Sequence[MatrixRow]) -> Score:
    judged = [row for row in rows if row.conforms is not None]
    families = dict.fromkeys(row.cell.family for row in judged)
    bad = {row.cell.family for row in judged if not row.conforms}
    return Score(
        name,
        story(find(name)).summary,
        len(judged),
        sum(row.conforms is True for row in judged),
        sum(OUTCOMES[row.outcome].hard for row in judged if not row.conforms),
        len(rows),
        ", ".join(name for name in families if name not in bad),
    )
