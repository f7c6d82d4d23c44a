"""Render every page of the site from values to HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from probe.catalogue.families import Family
from probe.cells.aggregate import SettledCell
from probe.cells.badges import badge
from probe.cells.sweeps import SweepResult
from probe.model import Client, Outcome
from probe.model.conditions import current
from probe.site.data.cell_index import CellIndex
from probe.site.data.fact_texts import absent, facts
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.page_names import client_slug, scenario_slug
from probe.site.data.row_levels import RowLevel, row_levels, usual_line
from probe.site.data.run_history import RunHistory
from probe.site.data.shipped_evidence import Shipped
from probe.site.data.wording import command, details, harmful, summary
from probe.site.pages import client_choice, clients, readiness, scenarios, upgrade
from probe.site.pages.changes import change_report
from probe.site.pages.costs import NO_COSTS, KnownCosts, cost_page
from probe.site.pages.environment import environment
from probe.site.pages.filters import filters
from probe.site.pages.grid import grid, tally
from probe.site.pages.lacking_cells import lacking
from probe.site.pages.phase_picture import shown_phases
from probe.site.pages.sweeps import shown_sweeps
from probe.site.timeline.trial_view import TrialView

GOOD = "What a good client does"
"""The label of a section in a scenario's story."""


def no_clients(_: Client) -> Sequence[str]:
    """Return no applications; the default of `Pages`."""
    return ()


class Pages:
    """The pages of one matrix."""

    def __init__(
        self,
        answers: CellIndex,
        past: RunHistory | None = None,
        inside: Callable[[Client], Sequence[str]] = no_clients,
        listed: Sequence[Family] = (),
        sweeps: Sequence[SweepResult] = (),
        shipped: Sequence[SettledCell] = (),
        costs: KnownCosts = NO_COSTS,
    ) -> None:
        self.answers = answers
        self._shipped = Shipped(shipped)
        self._inside = inside
        self._listed = listed
        self._sweeps = sweeps
        self._costs = costs
        self._past = past or RunHistory()
        rows = answers.rows
        self._runs = sorted({row.run_id for row in rows if row.run_id})
        self._good: dict[str, str] = {}

    def overviews(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the text of every page except those of cells."""
        yield "index.html", self.index()
        yield "clients.html", _render("clients.html", here="clients", scores=clients.scores(self.answers))
        yield "scenarios.html", _render("scenarios.html", here="scenarios", scores=scenarios.scores(self.answers))
        yield "upgrade.html", _render("upgrade.html", here="upgrade", data=self._upgrade())
        yield "ready.html", self._ready()
        yield (
            "choose.html",
            _render(
                "choose.html", here="choose", choice=client_choice.choice(self.answers, self._listed, self._shipped)
            ),
        )
        yield "sweeps.html", _render("sweeps.html", here="sweeps", sweeps=shown_sweeps(self._sweeps))
        yield "costs.html", _render("costs.html", here="costs", costs=cost_page(self._costs, self._listed))
        yield "changes.html", self._changes()
        for client, text in self._clients():
            yield f"client/{client_slug(client)}.html", text
        for scenario in self.answers.scenarios:
            yield f"scenario/{scenario_slug(scenario)}.html", self._scenario(scenario)

    def index(self) -> str:
        """Return the page of the matrix."""
        rows = self.answers.rows
        return _render(
            "index.html",
            here="index",
            grid=grid(rows),
            rows=rows,
            filters=filters(rows),
            tally=tally(rows),
            judged=sum(row.conforms is not None for row in rows),
            good=sum(row.conforms is True for row in rows),
            older=self.answers.older,
            runs=self._runs,
        )

    def _upgrade(self) -> Markup:
        return upgrade.data(self.answers, self._listed, self._shipped)

    def _ready(self) -> str:
        found = readiness.ready(self.answers, self._listed, self._shipped.cells)
        return _render("ready.html", here="ready", ready=found)

    def _changes(self) -> str:
        by_cell = {row.cell: row for row in self.answers.rows}
        report = change_report(self._past, by_cell)
        return _render("changes.html", here="changes", report=report, older=self.answers.older, runs=self._runs)

    def _clients(self) -> Iterator[tuple[Client, str]]:
        scores = clients.scores(self.answers)
        of_family: dict[str, list[Client]] = {}
        for one in scores:
            of_family.setdefault(one.client.family, []).append(one.client)
        for one in scores:
            versions = of_family[one.client.family]
            place = versions.index(one.client)
            rows = self.answers.of_client(one.client)
            library = self._library(one.client)
            yield (
                one.client,
                _render(
                    "client.html",
                    here="",
                    root="../",
                    client=one.client,
                    score=one,
                    mirrors=next((row.values["mirrors"] for row in rows if row.values["mirrors"]), ""),
                    inside=self._inside(one.client),
                    older=versions[place - 1] if place else None,
                    newer=versions[place + 1] if place + 1 < len(versions) else None,
                    newest=versions[-1],
                    findings=clients.findings(self.answers, one.client),
                    library=library,
                    levels=self._levels(one.client),
                    lacking=lacking(rows, self._shipped.of_client(one.client).values(), usual_line(rows)),
                    parts=clients.role_sections(self.answers, one.client, library),
                ),
            )

    def _levels(self, client: Client) -> list[RowLevel]:
        family = next((one for one in self._listed if one.family == client.family), None)
        rows = self.answers.of_client(client)
        return row_levels(family, client, rows, usual_line(rows), self._shipped)

    def badges(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the text of a badge for each client version and role, for shields' endpoint format."""
        for client in self.answers.clients:
            for one in self._levels(client):
                yield (
                    f"badge/{client_slug(client)}-{one.level.role}.json",
                    json.dumps(badge(one.level), indent=1) + "\n",
                )

    def _library(self, client: Client) -> Client | None:
        """Return the library inside an application or a wrapper."""
        family = next((one for one in self._listed if one.family == client.family), None)
        version = None if family is None else family.find(client.version)
        return None if version is None else version.library

    def _scenario(self, name: str) -> str:
        found = scenarios.find(name)
        return _render(
            "scenario.html",
            here="",
            root="../",
            name=name,
            story=scenarios.story(found),
            asked=scenarios.questions(found),
            parts=scenarios.parts(self.answers.of_scenario(name)),
        )

    def cell(self, row: MatrixRow, trials: Sequence[TrialView]) -> str:
        """Return the page of a cell."""
        newest = self.answers.versions(row)[-1]
        return _render(
            "cell.html",
            here="",
            root="../",
            row=row,
            summary=summary(row),
            details=details(row),
            harmful=harmful(row),
            facts=facts(row),
            absent=absent(row),
            trials=trials,
            shown=_opened(row, trials),
            phases=shown_phases(trials),
            settings=next((one.settings for one in trials if one.settings), {}),
            artifact=next((one.artifact for one in trials if one.artifact), ""),
            peers=self._peers(row),
            newest=newest if newest.cell != row.cell else None,
            workloads=self.answers.workloads(row),
            rivals=self.answers.rivals(row),
            command=command(row.cell),
            today=current(row.cell.engine),
            good=self._good_client(row.cell.scenario),
            history=self._past.history.get(row.cell, ()),
            flakes=self._past.flakes.get(row.cell),
        )

    def inputs(self, row: MatrixRow) -> tuple[object, ...]:
        """Return the inputs of a cell's page, except its trials; the page is reused while they are unchanged."""
        others = [
            (label, one.slug, one.values["outcomes"], one.outcome, one.conforms) for label, one in self._peers(row)
        ]
        same = [*self.answers.rivals(row), *self.answers.workloads(row)]
        rivals = [(one.slug, one.values["outcomes"], one.outcome, one.conforms) for one in same]
        newest = self.answers.versions(row)[-1].cell.version
        past = (self._past.history.get(row.cell), self._past.flakes.get(row.cell))
        return (tuple(row.values.values()), row.is_current, others, rivals, newest, past)

    def _peers(self, row: MatrixRow) -> list[tuple[str, MatrixRow]]:
        """Return the adjacent versions, and the first later one that conforms if this one does not.

        A page with all versions would change whenever a version is added.
        """
        older, newer = self.answers.neighbours(row)
        conforming = self.answers.improved(row) if row.conforms is False else None
        named = [("the older", older), ("the newer", newer)]
        if conforming is not None and conforming is not newer:
            named.append(("the first later one that conforms", conforming))
        return [(label, one) for label, one in named if one is not None]

    def _good_client(self, scenario: str) -> str:
        if scenario not in self._good:
            sections = dict(scenarios.story(scenarios.find(scenario)).sections)
            self._good[scenario] = sections.get(GOOD, "")
        return self._good[scenario]


def _render(template: str, *, root: str = "", **values: object) -> str:
    return environment().get_template(template).render(root=root, **values)


def _opened(row: MatrixRow, trials: Sequence[TrialView]) -> set[int]:
    """Return the trials with an open picture: the first one, or the first of every outcome if the cell is flaky."""
    firsts: dict[Outcome, int] = {}
    for one in trials:
        if one.has_history:
            firsts.setdefault(one.verdict.outcome, one.number)
    return set(firsts.values()) if row.outcome is Outcome.FLAKY else set(list(firsts.values())[:1])
