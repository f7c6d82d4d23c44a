"""Pages for decisions, without a browser: clients, scenarios, changes, history, and reused pages."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from probe.model import Cell, Engine, History, Outcome, Role
from probe.model.outcomes import OUTCOMES
from probe.site import SiteError, Source, build
from probe.site.data.cell_index import CellIndex, place, worst_first
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.page_names import client_slug, scenario_slug
from probe.site.data.run_history import read_run_history
from probe.site.pages.clients import role_sections, scores
from probe.site.pages.scenarios import find, story
from probe.site.pages.survival import Fate, survival
from probe.site.render.reuse import key
from tests.support import site_data, sweep_data
from tests.support.site_data import BEFORE, CHANGED

STATIC = Path(__file__).parents[2] / "probe" / "site" / "static"


def row(version: str, outcome: str, conforms: str = "", **values: str) -> MatrixRow:
    cell = Cell("sarama", version, Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
    whole = site_data.matrix_row(cell, site_data.judged_trials(cell)) | {"outcome": outcome, "conforms": conforms}
    whole |= {"worst": outcome, "outcomes": f"{outcome}:1"}
    return MatrixRow(cell, Outcome(outcome), {"yes": True, "no": False, "": None}[conforms], whole | values)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pages")
    site_data.write_past(out)
    return build(site_data.write_matrix(out / "matrix.csv", site_data.matrix()), site_data.SOURCE, out).parent


def text_of(page: Path) -> str:
    """The text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.read_text())).split())


# ---- sweeps


def test_sweeps_have_a_page_with_a_picture_and_a_table(tmp_path: Path) -> None:
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", site_data.matrix())
    page = build(matrix, site_data.BARE, tmp_path, sweeps=[sweep_data.result()]).parent / "sweeps.html"
    text = text_of(page)
    assert "disk/storage-error, producer, by election, ms" in text
    assert "refreshes 2, surfaces 1 300 ms" in text
    assert "not run" in text, "a value without a trial"
    assert "probe sweep --client sarama@1.43.2 --client sarama@1.43.3" in text
    assert page.read_text().count("<svg") == 1
    assert "style=" not in page.read_text(), "the policy of the pages allows no style in them"


def test_without_a_sweep_its_page_says_how_to_make_one(site: Path) -> None:
    assert "No sweep is stored" in text_of(site / "sweeps.html")


# ---- clients


def test_every_client_version_and_every_scenario_has_a_page(site: Path) -> None:
    rows = site_data.matrix()
    assert {page.stem for page in (site / "client").iterdir()} == {f"{one['family']}-{one['version']}" for one in rows}
    assert {page.stem for page in (site / "scenario").iterdir()} == {one["scenario"].replace("/", ".") for one in rows}


def test_a_client_page_lists_every_cell_worst_first(site: Path) -> None:
    page = (site / "client" / "sarama-1.27.0.html").read_text()
    for part in re.findall(r"<table.*?</table>", page, flags=re.DOTALL):
        places = [int(found) for found in re.findall(r'data-v="(\d+)"><span class="chip', part)]
        assert places == sorted(places)
    own = [one for one in site_data.matrix() if (one["family"], one["version"]) == ("sarama", "1.27.0")]
    assert set(re.findall(r'href="../cell/(sarama-1.27.0-[^"]+)[.]html"', page)) == site_data.slugs(own)


def test_a_client_page_names_risks_and_fixed_versions(site: Path) -> None:
    shown = text_of(site / "client" / "sarama-1.27.0.html")
    assert "work stops or records are lost" in shown
    assert "✗ stuck 3 cells: disk/ storage-error ( producer , consumer , producer on the kafka engine )." in shown
    assert "It never asked for the leader or coordinator." in shown
    assert "1.43.3" in shown


def test_a_client_page_without_findings_states_it(site: Path) -> None:
    assert "Findings Every judged cell conforms." in text_of(site / "client" / "java-4.1.0.html")
    assert "Nothing was judged." in text_of(site / "client" / "java-2.6.3.html")


def test_the_first_later_version_that_conforms_is_named() -> None:
    answers = CellIndex([row("1.9.0", "stuck", "no"), row("1.27.0", "late", "no"), row("1.43.3", "refreshes", "yes")])
    shown = {one.row.cell.version: one for client in answers.clients for one in role_sections(answers, client)[0].cells}
    mended = {version: one.mended and one.mended.cell.version for version, one in shown.items()}
    assert mended == {"1.9.0": "1.43.3", "1.27.0": "1.43.3", "1.43.3": None}


def test_versions_are_compared_with_the_one_before() -> None:
    said = [("1.9.0", "late", "no"), ("1.27.0", "stuck", "no"), ("1.43.3", "refreshes", "yes")]
    harms = ("stalls", "stops", "none")
    for trials, expected in ((4, [(None, None), (0, 1), (1, 0)]), (1, [(None, None), (0, 0), (0, 0)])):
        counts = [
            {"outcomes": f"{one[1]}:{trials}", "harms": f"{harm}:{trials}"}
            for one, harm in zip(said, harms, strict=True)
        ]
        answers = CellIndex([row(*one, run_id="r1", **more) for one, more in zip(said, counts, strict=True)])
        assert [(one.better, one.worse) for one in scores(answers)] == expected


def test_clients_are_ordered_worst_first() -> None:
    shuffled = [
        row("1", "refreshes", "yes"),
        row("2", "unsupported"),
        row("3", "storms", "no"),
        row("4", "flaky", "no", worst="late", outcomes="refreshes:17;late:3"),
        row("5", "violates", "no"),
        row("6", "waiting"),
        row("7", "surfaces"),
        row("8", "stuck", "no"),
    ]
    assert [one.cell.version for one in worst_first(shuffled)] == ["5", "8", "3", "4", "6", "7", "1", "2"]
    assert len({place(one) for one in shuffled}) == len(shuffled)


# ---- scenarios


def test_a_scenario_page_has_its_text_and_the_survivors(site: Path) -> None:
    shown = text_of(site / "scenario" / "disk.storage-error.html")
    assert "A disk of a broker dies" in shown
    assert "What a good client does: asks for metadata because of the error" in shown
    assert "sarama : from 1.43.3 on. 1.27.0 to 1.43.2 do not (stuck)." in shown
    assert "java : 4.1.0 does, the only version judged. 1 not judged." in shown


@pytest.mark.parametrize(
    ("answers", "fate", "words"),
    [
        ("yyy", Fate.ALL, "all 3 judged versions do."),
        ("y", Fate.ALL, "0 does, the only version judged."),
        ("nny", Fate.FROM, "from 2 on. 0 to 1 do not (stuck)."),
        ("yyn", Fate.UNTIL, "up to 1. 2 does not (stuck)."),
        ("nyny", Fate.SOME, "2 of 4 judged versions do. 0 and 2 do not (stuck)."),
        ("nnyn", Fate.SOME, "1 of 4 judged versions do: 2. The others do not (stuck)."),
        ("nn", Fate.NONE, "none of 2 judged versions does (stuck)."),
        ("n", Fate.NONE, "0 does not, the only version judged (stuck)."),
        ("??", Fate.UNKNOWN, "not judged."),
        ("n?y", Fate.FROM, "from 2 on. 0 does not (stuck). 1 not judged: it changed between 0 and 2."),
        ("?ny", Fate.FROM, "from 2 on. 1 does not (stuck). 1 not judged."),
    ],
)
def test_survival_in_words(answers: str, fate: Fate, words: str) -> None:
    outcome = {"y": ("refreshes", "yes"), "n": ("stuck", "no"), "?": ("waiting", "")}
    found = survival([row(str(number), *outcome[one]) for number, one in enumerate(answers)])
    assert (found.fate, found.words) == (fate, words)
    assert [span.rows for span in found.spans]
    assert sum(len(span.rows) for span in found.spans) == len(answers)


def test_a_removed_scenario_still_has_a_page(tmp_path: Path) -> None:
    rows = [one | {"scenario": "disk/forgotten", "run_id": ""} for one in site_data.matrix()[:1]]
    index = build(site_data.write_matrix(tmp_path / "m.csv", rows), site_data.SOURCE, tmp_path)
    assert "no longer has the scenario" in text_of(index.parent / "scenario" / "disk.forgotten.html")


def test_generated_scenarios_have_a_text() -> None:
    assert story(find("answer/produce/NOT_LEADER_OR_FOLLOWER")).summary
    assert find("no/such-thing") is None


def test_names_of_pages_are_safe_and_unique() -> None:
    clients = [site_data.CHANGED.client, type(site_data.CHANGED.client)("sarama", "1.0+local.ab")]
    clients.append(type(clients[0])("sarama", "1.0-local.ab"))
    slugs = [client_slug(one) for one in clients]
    assert len(set(slugs)) == 3
    names = [scenario_slug(name) for name in ("a/b", "a.b", "a-b", "start-during/a/b")]
    assert len(set(names)) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", one) for one in [*slugs, *names])


# ---- earlier runs


def test_changes_are_listed_worst_first_and_new_cells_counted(site: Path) -> None:
    shown = text_of(site / "changes.html")
    assert "Of the cells that were there before, 1 got worse." in shown
    assert "1 cell was not there before" in shown
    assert f"✓ refreshes conforms, run {BEFORE}" in shown


def test_a_cell_has_its_history(site: Path) -> None:
    found = next(page for page in (site / "cell").iterdir() if "1.43.2-producer-isolated-disk" in page.name)
    shown = text_of(found)
    assert f"20260901T080000Z-0001 to {BEFORE} (4 runs) ✓ refreshes conforms 4 of 4 agree" in shown
    assert "Over all runs under the newest conditions 3 of 7 trials differed" in shown
    assert CHANGED.version in shown


def test_the_changes_page_without_earlier_runs_states_it(tmp_path: Path) -> None:
    index = build(site_data.write_matrix(tmp_path / "m.csv", site_data.matrix()[:3]), site_data.SOURCE, tmp_path)
    assert "There is no earlier run to compare with" in text_of(index.parent / "changes.html")


def test_a_damaged_file_of_earlier_runs_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "history.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(SiteError, match=r"history\.parquet: cannot be read") as raised:
        read_run_history(tmp_path)
    assert "\n" not in str(raised.value)


# ---- reused pages


def few() -> list[dict[str, str]]:
    """The rows of one scenario and family, flaky ones among them."""
    wanted = {"disk/storage-error", "broker/kill"}
    return [one for one in site_data.matrix() if one["family"] == "sarama" and one["scenario"] in wanted]


class Counting:
    """Results that count reads, and change their stamp on demand."""

    def __init__(self) -> None:
        self.read: list[Cell] = []
        self.state = "one"

    def source(self) -> Source:
        return Source(site_data.trials, self._histories, lambda _run: self.state)

    def _histories(self, run_id: str, wanted: Collection[tuple[Cell, int]], _: Collection[str]) -> Iterator[History]:
        for one in site_data.histories(run_id, wanted):
            self.read.append(one.header.cell)
            yield one


def test_unchanged_pages_are_reused(tmp_path: Path) -> None:
    results = Counting()
    rows = few()
    first = build(site_data.write_matrix(tmp_path / "m.csv", rows), results.source(), tmp_path)
    before = {page.name: page.read_bytes() for page in (first.parent / "cell").iterdir()}
    upgrade = (first.parent / "upgrade.html").read_bytes()
    assert results.read
    results.read.clear()
    build(tmp_path / "m.csv", results.source(), tmp_path)
    assert results.read == [], "nothing changed, no history is read"
    assert {page.name: page.read_bytes() for page in (first.parent / "cell").iterdir()} == before
    assert (first.parent / "upgrade.html").read_bytes() == upgrade, "the worst trial of flaky cells is remembered"


def test_a_changed_cell_redraws_only_its_neighbours(tmp_path: Path) -> None:
    results = Counting()
    rows = few()
    index = build(site_data.write_matrix(tmp_path / "m.csv", rows), results.source(), tmp_path)
    results.read.clear()
    changed = next(one for one in rows if Cell.of(one) == CHANGED)
    changed |= {"outcome": "late", "reason": "it took a while"}
    build(site_data.write_matrix(tmp_path / "m.csv", rows), results.source(), tmp_path)
    drawn = {(cell.version, cell.engine, cell.scenario, cell.role) for cell in results.read}
    assert {cell.family for cell in results.read} == {"sarama"}
    assert {scenario for _, _, scenario, _ in drawn} == {CHANGED.scenario}
    assert {version for version, *_ in drawn} == {"1.27.0", "1.43.2", "1.43.3"}
    page = index.parent / "cell" / f"{site_data.slugs([changed]).pop()}.html"
    assert "it took a while" in page.read_text()


def test_a_changed_run_redraws_its_cells(tmp_path: Path) -> None:
    results = Counting()
    build(site_data.write_matrix(tmp_path / "m.csv", few()), results.source(), tmp_path)
    results.read.clear()
    results.state = "judged again"
    build(tmp_path / "m.csv", results.source(), tmp_path)
    assert results.read


def test_another_program_version_redraws_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = Counting()
    build(site_data.write_matrix(tmp_path / "m.csv", few()), results.source(), tmp_path)
    results.read.clear()
    monkeypatch.setattr("probe.site.render.reuse.program", lambda: "another")
    build(tmp_path / "m.csv", results.source(), tmp_path)
    assert results.read


def test_files_are_copied_where_links_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_old: Path, _new: Path) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuses)
    results = Counting()
    index = build(site_data.write_matrix(tmp_path / "m.csv", few()), results.source(), tmp_path)
    results.read.clear()
    build(tmp_path / "m.csv", results.source(), tmp_path)
    assert results.read == []
    assert len(list((index.parent / "cell").iterdir())) == len(few())


def test_a_missing_page_of_the_old_site_is_redrawn(tmp_path: Path) -> None:
    results = Counting()
    index = build(site_data.write_matrix(tmp_path / "m.csv", few()), results.source(), tmp_path)
    lost = index.parent / "cell" / f"{next(iter(site_data.slugs([few()[0]])))}.html"
    lost.unlink()
    build(tmp_path / "m.csv", results.source(), tmp_path)
    assert lost.is_file()


def test_cache_keys_differ_for_different_inputs() -> None:
    assert key([("a", "b")]) == key([("a", "b")])
    assert key([("a", "b")]) != key([("ab",)])


# ---- symbols in the style sheet


def test_matrix_symbols_are_those_of_the_legend(site: Path) -> None:
    css = (site / "site.css").read_text()
    assert css.startswith((STATIC / "site.css").read_text())
    found = dict(re.findall(r'#matrix [.](\w+) \{ --glyph: "(.)"; \}', css))
    assert found == {str(outcome): info.symbol for outcome, info in OUTCOMES.items()}
