"""The library of which a cost is asked, for what an operator names: a release, a line of them, an application."""

from __future__ import annotations

from collections.abc import Collection

from probe.catalogue.apps import find_app, versions_of
from probe.catalogue.costs import SCENARIOS
from probe.catalogue.releases import releases_of
from probe.catalogue.scenarios import select_scenarios
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.cli.wiring.line_releases import newest_release
from probe.cli.wiring.lookup_words import asked_client
from probe.errors import ProbeError
from probe.model.cost_point import CostPoint

LATEST = "latest"


def check_scenario(name: str, points: Collection[CostPoint]) -> None:
    """Raise ProbeError for a scenario in which no cost can be measured, CatalogueError for one that does not exist."""
    if name in SCENARIOS or any(one.scenario == name for one in points):
        return
    select_scenarios([name])
    raise ProbeError(f"--scenario {name}: costs are measured in {', '.join(SCENARIOS)} so far")


def costed_client(text: str, points: Collection[CostPoint]) -> tuple[str, str]:
    """Return the family and the version that a client stands for; no version is the newest that was measured.

    Of a line its newest release, of an application the library inside it; either is said. ProbeError for what is none.
    """
    measured = {one.client.partition("@")[0] for one in points}
    client = text if text.partition("@")[0] in measured else asked_client(text)
    name, _, version = newest_release(client).partition("@")
    version = "" if version == LATEST else version
    if version and not version[0].isdigit():
        raise ProbeError(f"--client {text}: {version} is no release; write FAMILY@VERSION:NUMBER, such as sarama:60")
    if name in families():
        served = releases_of(name)
        if version and families()[name].find(version) is None and served.lacks(version):
            raise ProbeError(f"--client {text}: {served.no_such}")
        return name, version
    if name in measured:
        return name, version
    app = find_app(apps(), families(), name)
    version = version or versions_of(app, LATEST)[0]
    inside = version if app.artifacts and app.find(version) is None else app.inside(version).library
    library = by_number(families()[app.family], inside).version
    say(f"{name} {version} has {app.family} {library} inside, which is estimated with its own settings")
    return app.family, library
