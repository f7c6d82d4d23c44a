"""The site without a browser: its files, its texts, and how it is published."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shlex
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from probe.model import Cell, Engine, Outcome, Role
from probe.model.outcomes import OUTCOMES
from probe.model.results import ResultsError
from probe.site import SiteError, Source, build
from probe.site.data.matrix_rows import MatrixRow, read_matrix
from probe.site.data.outcome_signs import tone
from probe.site.data.wording import command, details, duration, hint, summary
from probe.site.pages.grid import grid
from probe.site.render.folder_replacement import replacing
from tests.support import site_data
from tests.support.deadlines import LONGEST_S
from tests.support.site_data import BARE, RUN, SOURCE, FakeTrial

CELL = Cell("sarama", "1.27.0", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")


def row_of(cell: Cell = CELL, **values: str) -> MatrixRow:
    row = site_data.matrix_row(cell, site_data.judged_trials(cell)) | values
    conforms = {"yes": True, "no": False, "": None}[row["conforms"]]
    return MatrixRow(cell, Outcome(row["outcome"]), conforms, row)


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    return site_data.write_matrix(tmp_path / "matrix.csv", site_data.matrix())


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    return build(site_data.write_matrix(out / "matrix.csv", site_data.matrix()), SOURCE, out)


# ---- the whole site


def test_every_cell_has_a_page_and_no_link_is_dead(index: Path) -> None:
    assert len(list((index.parent / "cell").iterdir())) == len(site_data.matrix())
    for page in index.parent.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#]+)"', page.read_text()):
            assert (page.parent / link).resolve().is_file(), f"{page.name}: {link}"


def test_nothing_is_fetched_and_no_handler_is_inline(index: Path) -> None:
    for page in index.parent.rglob("*.html"):
        text = page.read_text()
        assert not re.search(r"""(href|src)=["'](https?:)?//""", text)
        assert not re.search(r"<[^>]+\son[a-z]+=", text)
        assert "style=" not in text


def test_texts_of_clients_and_brokers_are_escaped(index: Path) -> None:
    page = next(
        page for page in (index.parent / "cell").iterdir() if page.name.startswith("sarama-1.27.0-producer-iso")
    )
    assert not [found for found in index.parent.rglob("*.html") if "<script>alert" in found.read_text()]
    assert "&lt;script&gt;alert" in page.read_text()


def test_the_csv_is_published_unchanged(index: Path, matrix: Path) -> None:
    assert (index.parent / "matrix.csv").read_bytes() == matrix.read_bytes()


def test_ids_are_unique_within_a_page(index: Path) -> None:
    for page in index.parent.rglob("*.html"):
        ids = re.findall(r'\sid="([^"]+)"', page.read_text())
        assert len(ids) == len(set(ids)), page.name


def test_a_flaky_cell_opens_a_trial_of_each_outcome(index: Path) -> None:
    name = next(
        page for page in (index.parent / "cell").iterdir() if "1.43.3-producer-isolated-broker-kill" in page.name
    )
    assert re.findall(r'id="trial-(\d)" ?(open)?', name.read_text()) == [("0", "open"), ("1", "open"), ("2", "")]


def test_agreement_of_engines_is_shown(tmp_path: Path) -> None:
    other = replace(CELL, engine=Engine.KAFKA)
    rows = [site_data.matrix_row(one, site_data.judged_trials(one)) for one in (CELL, other)]
    for outcome, said in (("stuck", ">agrees<"), ("late", ">disagrees<")):
        rows[1]["outcome"] = outcome
        index = build(site_data.write_matrix(tmp_path / "m.csv", rows), SOURCE, tmp_path)
        page = index.parent / "cell" / f"{row_of().slug}.html"
        assert said in re.sub(r">\s*(agrees|disagrees)\s*<", r">\1<", page.read_text().replace("</span> ", ">"))


def test_pages_without_stored_trials_are_complete(matrix: Path, tmp_path: Path) -> None:
    def gone(run_id: str) -> list[FakeTrial]:
        raise ResultsError(f"{run_id} is not there")

    index = build(matrix, Source(gone, SOURCE.histories), tmp_path)
    pages = list((index.parent / "cell").iterdir())
    assert len(pages) == len(site_data.matrix())
    assert all("This cell has no stored trial" in page.read_text() for page in pages)


def test_an_unreadable_history_keeps_its_verdict(matrix: Path, tmp_path: Path) -> None:
    index = build(matrix, Source(SOURCE.trials, lambda _run, _wanted, _parts: ()), tmp_path)
    page = (index.parent / "cell" / f"{row_of().slug}.html").read_text()
    assert "could not be read" in page
    assert "Row 7: goal not reached" in page


# ---- publishing


def test_a_reader_never_sees_half_a_site(matrix: Path, tmp_path: Path) -> None:
    index = build(matrix, BARE, tmp_path / "out")
    missing: list[str] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            missing.extend(name for name in ("index.html", "site.css", "cell") if not (index.parent / name).exists())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(3):
        build(matrix, BARE, tmp_path / "out")
    stop.set()
    reader.join(timeout=LONGEST_S)
    assert missing == []
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["site"]


def test_a_build_that_fails_leaves_the_old_site(matrix: Path, tmp_path: Path) -> None:
    index = build(matrix, BARE, tmp_path / "out")
    before = index.read_bytes()

    def fails(run_id: str) -> list[FakeTrial]:
        raise RuntimeError(run_id)

    with pytest.raises(RuntimeError, match=RUN):
        build(matrix, Source(fails, SOURCE.histories), tmp_path / "out")
    assert index.read_bytes() == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["site"]


def test_leftovers_of_a_killed_build_are_removed(tmp_path: Path) -> None:
    for name, age_s in ((".site-old", 90_000), (".site-killed", 100), (".site-new", 10), (".site-busy", 100)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    busy = os.open(tmp_path / ".site-busy", os.O_RDONLY)
    fcntl.flock(busy, fcntl.LOCK_EX)
    try:
        with replacing(tmp_path / "site") as fresh:
            (fresh / "a.txt").write_text("a")
    finally:
        os.close(busy)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".site-busy", ".site-new", "site"]


def test_a_full_disk_leaves_the_old_site_and_one_line(tmp_path: Path) -> None:
    with replacing(tmp_path / "site") as fresh:
        (fresh / "a.txt").write_text("old")

    def write_new() -> None:
        with replacing(tmp_path / "site") as fresh:
            (fresh / "a.txt").write_text("new")
            raise OSError(errno.ENOSPC, "whatever the library says")

    with pytest.raises(SiteError) as caught:
        write_new()
    assert str(caught.value) == (
        f"{tmp_path}/site cannot be written: No space left on device; the old site is unchanged; "
        "free disk space, then run `probe matrix`"
    )
    assert (tmp_path / "site" / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_foreign_folder_is_left_alone(matrix: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine.txt").write_text("precious")
    with pytest.raises(SiteError, match="not made by the probe"):
        build(matrix, SOURCE, tmp_path)
    assert (tmp_path / "site" / "mine.txt").read_text() == "precious"


def test_the_folder_is_replaced_without_an_atomic_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.files.atomic_writes._exchange", lambda _one, _other: False)
    for words in ("first", "second"):
        with replacing(tmp_path / "site") as fresh:
            (fresh / "a.txt").write_text(words)
    assert (tmp_path / "site" / "a.txt").read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


# ---- bad input


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("family,version\nsarama,1\n", "column role is missing"),
        (b"\xff\xfe\x00".decode("latin-1"), "column family is missing"),
        ("", "column family is missing"),
    ],
)
def test_an_unknown_matrix_format_is_one_clear_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    with pytest.raises(SiteError, match=says) as raised:
        read_matrix(path)
    assert "\n" not in str(raised.value)
    assert "probe matrix" in str(raised.value)


@pytest.mark.parametrize("column", ["outcome", "role", "engine", "conforms"])
def test_an_invalid_value_names_its_line(column: str, tmp_path: Path) -> None:
    rows = site_data.matrix()[:3]
    rows[2][column] = "odd"
    with pytest.raises(SiteError, match=r"line \d+: .*odd"):
        read_matrix(site_data.write_matrix(tmp_path / "m.csv", rows))


def test_a_missing_matrix_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="cannot be read"):
        build(tmp_path / "none.csv", SOURCE, tmp_path)
    assert list(tmp_path.iterdir()) == []


# ---- the table


def test_versions_ascend_numerically_and_steady_comes_first(matrix: Path) -> None:
    table = grid(read_matrix(matrix))
    versions = [one.client.version for one in table.columns if one.client.family == "sarama"]
    assert versions == ["1.9.0", "1.27.0", "1.43.2", "1.43.3", "1.46.1"]
    assert table.families == [("java", 2), ("librdkafka", 4), ("sarama", 5)]
    assert table.groups[0].lines[0].scenario == "steady"
    found = {row.cell for group in table.groups for line in group.lines for row in line.cells if row}
    assert found == set(site_data.cells())


def test_a_cell_is_in_its_own_row_and_column(matrix: Path) -> None:
    table = grid(read_matrix(matrix))
    for group in table.groups:
        for line in group.lines:
            for column, row in zip(table.columns, line.cells, strict=True):
                if row is not None:
                    assert row.cell.client == column.client
                    assert (row.cell.scenario, row.cell.profile) == (line.scenario, group.setting.profile)


def test_every_outcome_has_its_own_symbol() -> None:
    assert set(OUTCOMES) == set(Outcome)
    assert len({info.symbol for info in OUTCOMES.values()}) == len(Outcome)
    assert len({info.label for info in OUTCOMES.values()}) == len(Outcome)


@pytest.mark.parametrize(
    ("outcome", "conforms", "expected"),
    [
        (Outcome.REFRESHES, True, "good"),
        (Outcome.SURFACES, True, "good"),
        (Outcome.SURFACES, False, "poor"),
        (Outcome.STUCK, False, "bad"),
        (Outcome.STUCK, None, "mute"),
    ],
)
def test_colour_follows_the_judgement_not_the_outcome(outcome: Outcome, conforms: bool | None, expected: str) -> None:
    assert tone(outcome, conforms) == expected


# ---- words


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("isolated", ["--profile", "isolated"]),
        ("isolated+election=1000", ["--profile", "isolated", "--election", "1000"]),
        ("acks-1+linger.ms=5", ["--profile", "acks-1", "--property", "linger.ms=5"]),
        ("isolated+a=b+c+d=e f", ["--profile", "isolated", "--property", "a=b+c", "--property", "d=e f"]),
    ],
)
def test_the_command_repeats_the_cell(profile: str, expected: list[str]) -> None:
    words = shlex.split(command(replace(CELL, profile=profile)))
    assert words[:5] == ["python3", "run.py", "probe", "run", "--client"]
    at = words.index("--profile")
    assert words[at : at + len(expected)] == expected
    assert words[-6:] == ["--scenario", "disk/storage-error", "--engine", "embedded", "--broker", "3.9"]


@pytest.mark.parametrize(
    ("ms", "text"), [(None, ""), (0, "0 ms"), (999, "999 ms"), (1500, "1.5 s"), (125_000, "2 min 5 s")]
)
def test_durations(ms: float | None, text: str) -> None:
    assert duration(ms) == text


def test_hints_for_readers() -> None:
    assert hint(row_of()) == "> 10.0 s"
    assert hint(row_of(outcome="refreshes", recovery_ms_p50="310")) == "310 ms"
    assert hint(row_of(outcome="flaky", outcomes="refreshes:17;storms:3", worst="storms")) == "storms in 3 of 20"
    assert hint(row_of(outcome="violates", lost="0", duplicated="4")) == "4 duplicated"
    assert hint(row_of(outcome="surfaces", recovery_ms_p50="", errors_surfaced="7")) == "7 errors"
    assert hint(row_of(outcome="clean", recovery_ms_p50="", errors_surfaced="0")) == ""


def test_a_cell_whose_trials_disagree_in_words() -> None:
    row = row_of(outcome="flaky", outcomes="refreshes:17;storms:3", worst="storms", agreeing="17", trials="20")
    assert summary(row) == (
        "sarama 1.27.0, as a producer, behaved differently from trial to trial: storms in 3 of 20 trials, refreshes in "
        "17. The worst trial decides the judgement."
    )
    assert details(row)[0] == "In the 17 of 20 trials that agree:"
    assert (row.grade.outcome, row.grade.severity) == (Outcome.STORMS, 3)


def test_a_stuck_cell_in_words() -> None:
    row = row_of()
    assert (
        summary(row)
        == "sarama 1.27.0, as a producer, did not recover by itself while the fault was in force, in 3 trials."
    )
    shown = " ".join(details(row))
    assert "KAFKA_STORAGE_ERROR (56) at least 100 times" in shown
    assert "never asked for the leader or coordinator" in shown
    assert "did not recover after the fault was reverted either" in shown
    assert "up to 100 errors" in shown
