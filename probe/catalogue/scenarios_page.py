"""Renders the scenario catalogue as docs/scenarios.md: `python -m probe.catalogue.scenarios_page`."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from probe.catalogue.scenarios import default_scenarios
from probe.catalogue.workloads import listed
from probe.model import Expectation, Reality, Role
from probe.model.engines import ENGINES
from probe.protocol.names import error_name
from probe.scenarios import error_answers, generated_families
from probe.scenarios.error_answers import ErrorClass
from probe.scenarios.scenario import RoleVariant, Scenario

LABEL = re.compile(r"\s+(What the brokers do|The error a client meets|What a good client does|Source|Not covered):")
PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"
WIDTH = 119
STORIES = {
    "start-during": "a second instance of the client starts under the fault: does a restart of the client help? Only "
    "the second instance is judged.",
    "close-during": "the application closes its client 300 ms after the fault. A good client ends within its own "
    "limit, reports the outcome of each record, and leaves its group if the coordinator can be reached "
    "(docs/verdicts.md#closing).",
}
"""Families made of other scenarios: how each differs from them."""

HEAD = """# Scenarios

Generated from `probe/scenarios`; do not edit. `python -m probe.catalogue.scenarios_page` updates it.

`docs/verdicts.md` defines the outcomes and how a trial is judged. `--scenario 'broker/*'` selects by name. The default
catalogue has {scenarios} scenarios and {pairs} pairs of scenario and role; a family runs those of its own roles. Times
are in milliseconds: *prompt* is the longest time of a prompt recovery, *watch* the time for which the fault stays
injected if the client does not recover. An outcome outside *conforms* is a finding; *informative* scenarios are
measured and not judged.
"""

ERRORS = """## Errors by API

`answer/`, `hold/`, `blip/` and `applied/produce/` take any error of Kafka's protocol table in any API named here:
`--scenario hold/offset-commit/NOT_COORDINATOR`. The required reaction follows from the class of the error in that API.
**M**: the target moved, ask for the new one. **R**: retriable in place. **F**: report an error to the application.
Other errors run on request and are informative. Sources are classes and methods of Kafka 3.9; `reviewed` marks a class
that does not follow from Kafka's exception hierarchy alone.
"""


def render() -> str:
    """Return the whole page."""
    found = default_scenarios()
    written = {name: item for name, item in found.items() if not _is_generated(name)}
    pairs = sum(len(item.roles) for item in found.values())
    parts = [HEAD.format(scenarios=len(found), pairs=pairs), *map(_section, _by_first(written.values()))]
    return "\n".join([*parts, ERRORS, *map(_api, error_answers.APIS), _derived(found)]).rstrip() + "\n"


def _is_generated(name: str) -> bool:
    return name.split("/", maxsplit=1)[0] in {*(item.prefix for item in generated_families.TEMPLATES), *STORIES}


def _by_first(items: Iterable[Scenario]) -> list[tuple[str, list[Scenario]]]:
    return [(first, list(group)) for first, group in groupby(items, key=lambda item: item.name.split("/")[0])]


def _section(section: tuple[str, list[Scenario]]) -> str:
    first, items = section
    return "\n".join([f"## {first}\n", *map(_scenario, items)])


def _scenario(item: Scenario) -> str:
    only = "real brokers" if all(ENGINES[one].real for one in item.engines) else f"{item.engines[0]} engine"
    engines = "" if len(item.engines) > 1 else f" ({only} only)"
    story = LABEL.sub(r"\n\n**\1:**", item.story.strip())
    return f"### {item.name}{engines}\n\n{story}\n\n{_table(item.variants)}\n{_workloads(item)}"


def _workloads(item: Scenario) -> str:
    entry = listed().get(item.name)
    if entry is None:
        return ""
    names = ", ".join(f"`{one}`" for one in entry.workloads)
    roles = "" if set(entry.roles) == set(Role) else f" ({', '.join(entry.roles)})"
    text = f"**Also with workload** {names}{roles}: {entry.reason}"
    return f"\n{textwrap.fill(text, WIDTH, break_on_hyphens=False)}\n"


def _table(parts: Iterable[RoleVariant]) -> str:
    head = "| roles | symptom | required reaction | codes | prompt | watch | conforms |\n|---|---|---|---|---|---|---|"
    return "\n".join([head, *map(_row, parts)])


def _row(part: RoleVariant) -> str:
    played = part.expectation
    codes = ", ".join(f"{error_name(code)} {code}" for code in played.codes) or "-"
    cells = (
        ", ".join(part.roles),
        str(played.kind),
        _asked(played),
        codes,
        "own limit" if part.prompt_beyond_own_ms is not None else str(played.prompt_ms),
        str(played.watch_ms),
        _conforms(played),
    )
    return f"| {' | '.join(cells)} |"


def _asked(played: Expectation) -> str:
    return f"{played.expects} ({played.target})"


def _conforms(played: Expectation) -> str:
    if not played.conforms or played.reality is not Reality.EFFECTIVE:
        return "informative"
    return ", ".join(played.conforms)


def _api(api: error_answers.Api) -> str:
    rows = [item for item in error_answers.ANSWERS if item.api == api.name]
    head = f"### {api.name}\n\nRoles: {', '.join(api.roles)}.{_how(api)}\n"
    table = "| error | class | by default | source |\n|---|---|---|---|"
    return "\n".join([head, table, *(_error(item) for item in sorted(rows, key=lambda item: item.code)), ""])


def _how(api: error_answers.Api) -> str:
    if api.starting:
        return " The errors are answered from before the start of the client."
    return f" {error_answers.PROVOKED_BY_REAL_BROKERS[type(api.before[0])]}" if api.before else ""


def _error(item: error_answers.Answer) -> str:
    kind = "-" if item.kind is ErrorClass.OTHER else str(item.kind)
    only = f" (from version {item.since})" if item.since else ""
    roles = f" ({', '.join(item.roles)})" if item.roles else ""
    default = ", ".join(f"{prefix}/" for prefix in item.default) + roles if item.default else "-"
    return f"| {error_name(item.code)} {item.code}{only} | {kind} | {default} | {item.source} |"


def _derived(found: Mapping[str, Scenario]) -> str:
    return "\n".join(_family(found, first, story) for first, story in STORIES.items())


def _family(found: Mapping[str, Scenario], first: str, story: str) -> str:
    names = [name for name in found if name.startswith(f"{first}/")]
    head = f"## {first}\n\n`{first}/<scenario>`: {story} By default:\n"
    return "\n".join([head, *(f"* `{name}` ({', '.join(found[name].roles)})" for name in names), ""])


if __name__ == "__main__":
    PAGE.write_text(render())
    sys.stdout.write(f"{PAGE.name} written\n")
