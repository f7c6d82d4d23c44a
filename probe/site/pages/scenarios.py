"""The content of the pages of scenarios: story, the reaction of a good client, and surviving clients (pure)."""

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
    Reaction.DISCOVER: "asks for the leader or coordinator because of the fault, or follows a hint, and goes there",
    Reaction.RETRY: "retries at the same broker until the brokers recover",
    Reaction.SURFACE: "reports to its application",
    Reaction.NOTHING: "has nothing to notice",
}
"""The reaction of a good client."""
CLOSES = "ends within its own limit, reports the outcome of each record, and leaves its group"
"""The same where the application closes it."""


@dataclass(frozen=True, slots=True)
class Story:
    """The story of a scenario, from its docstring."""

    summary: str
    sections: tuple[tuple[str, str], ...]
    """Heading and text."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a scenario for some roles."""

    roles: str
    kind: str
    good: str
    codes: str
    prompt: str
    watch: str
    conforms: str


@dataclass(frozen=True, slots=True)
class Group:
    """The results of all families in one role and setting, the best first."""

    setting: Setting
    families: tuple[Survival, ...]
    judged: bool


@dataclass(frozen=True, slots=True)
class InRole:
    """The results of a scenario in one role."""

    role: Role
    groups: tuple[Group, ...]
    """The most frequent setting first."""


@dataclass(frozen=True, slots=True)
class Score:
    """A scenario in the list of scenarios."""

    name: str
    summary: str
    judged: int
    good: int
    stops: int
    cells: int
    families: str
    """Families whose judged cells all conform."""


def find(name: str) -> Scenario | None:
    """Return a scenario by name; None if this program does not have it (any more)."""
    try:
        return next((one for one in select_scenarios([name]) if one.name == name), None)
    except CatalogueError:
        return None


def story(scenario: Scenario | None) -> Story:
    """Split the docstring of a scenario at its labels."""
    if scenario is None:
        return Story("", ())
    intro, *rest = LABEL.split(scenario.story.strip())
    head, _, more = intro.partition("\n")
    sections = [(label, " ".join(text.split())) for label, text in zip(rest[::2], rest[1::2], strict=False)]
    if more.strip():
        sections.insert(0, ("", " ".join(more.split())))
    return Story(head.strip(), tuple(sections))


def questions(scenario: Scenario | None) -> list[Question]:
    """Return the questions of a scenario, per role variant."""
    return [_questions(part) for part in scenario.variants] if scenario is not None else []


def _questions(part: RoleVariant) -> Question:
    expected = part.expectation
    judged = expected.conforms and expected.reality is Reality.EFFECTIVE
    own = part.prompt_beyond_own_ms is not None
    return Question(
        ", ".join(part.roles),
        str(expected.kind),
        CLOSES if expected.closes else EXPECTED[expected.expects],
        ", ".join(f"{error_name(code)} ({code})" for code in expected.codes),
        "its own time-out" if own else f"{expected.prompt_ms / 1000:g} s",
        f"{expected.watch_ms / 1000:g} s",
        ", ".join(expected.conforms) if judged else "",
    )


def parts(rows: Sequence[MatrixRow]) -> list[InRole]:
    """Return the results of a scenario per role and family."""
    return [InRole(role, tuple(_groups(own))) for role, own in in_roles(rows).items()]


def _groups(rows: Sequence[MatrixRow]) -> list[Group]:
    found: dict[Setting, list[MatrixRow]] = {}
    for row in rows:
        found.setdefault(setting(row.cell), []).append(row)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), setting_key(item[0])))
    return [_group(one, own) for one, own in ordered]


def _group(one: Setting, rows: Sequence[MatrixRow]) -> Group:
    spanned = sorted(rows, key=lambda row: (row.cell.family, row.since))  # stable: versions stay in order
    families = [survival(list(own)) for _, own in groupby(spanned, key=lambda row: (row.cell.family, row.since))]
    order = list(Fate)
    families.sort(key=lambda item: (order.index(item.fate), item.family))
    return Group(one, tuple(families), judged=any(item.fate is not Fate.UNKNOWN for item in families))


def scores(answers: CellIndex) -> list[Score]:
    """Return the scores of all scenarios."""
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
        sum(OUTCOMES[row.worst].hard for row in judged if not row.conforms),
        len(rows),
        ", ".join(name for name in families if name not in bad),
    )
