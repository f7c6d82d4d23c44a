"""Pages drawn by several processes equal those drawn by one; a lost process ends the build and leaves no other."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from probe.model import Cell, History
from probe.site import SiteError, Source, build
from probe.site.data.matrix_rows import read_matrix
from probe.site.render import render_workers
from probe.site.render.render_workers import page_name
from tests.support import site_data
from tests.support.deadlines import LONGEST_S

ROOT = Path(__file__).parents[2]


def wait_for(true: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def few(folder: Path) -> Path:
    rows = [row for row in site_data.matrix() if row["family"] == "sarama"][:40]
    return site_data.write_matrix(folder / "m.csv", rows)


def pages(index: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (index.parent / "cell").iterdir()}


def ends_itself(_run: str, _wanted: Collection[tuple[Cell, int]], _parts: Collection[str]) -> Iterator[History]:
    os._exit(3)


def has_no_room(_run: str, _wanted: Collection[tuple[Cell, int]], _parts: Collection[str]) -> Iterator[History]:
    raise OSError(errno.ENOSPC, "no room")


def tells_and_hangs(run_id: str, _wanted: Collection[tuple[Cell, int]], _parts: Collection[str]) -> Iterator[History]:
    Path(os.environ["DRAWING_PIDS"], str(os.getpid())).touch()
    time.sleep(120)
    return site_data.histories(run_id, ())


def drawn_elsewhere(run_id: str, wanted: Collection[tuple[Cell, int]], parts: Collection[str]) -> Iterator[History]:
    Path(os.environ["DRAWING_PIDS"], str(os.getpid())).touch()
    return site_data.histories(run_id, wanted, parts)


def test_several_processes_draw_the_same_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_workers, "MIN_PARALLEL_PAGES", 1)
    monkeypatch.setattr(render_workers, "BATCH", 10)
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("DRAWING_PIDS", str(tmp_path / "pids"))
    matrix = few(tmp_path)
    one = build(matrix, site_data.SOURCE, tmp_path / "one")
    two = build(matrix, Source(site_data.trials, drawn_elsewhere), tmp_path / "two", processes=2)
    assert pages(one) == pages(two)
    assert len(pages(two)) == 40
    drew = {int(path.name) for path in (tmp_path / "pids").iterdir()}
    assert drew
    assert os.getpid() not in drew


def test_batches_are_complete_and_contiguous(tmp_path: Path) -> None:
    rows = read_matrix(few(tmp_path))
    parts = ["b", "a", "b", "a"]
    trials = [replace(site_data.judged_trials(row.cell)[0], part=parts[n % 4]) for n, row in enumerate(rows)]
    sheets = [render_workers.RenderJob(row, "", (one,)) for row, one in zip(rows, trials, strict=True)]
    batches = list(render_workers._batches(sheets))
    assert sorted(one.name for batch in batches for one in batch) == sorted(map(page_name, rows))
    in_order = [one.stored[0].part for batch in batches for one in batch]
    assert in_order == sorted(in_order)


def test_a_batch_ends_with_a_file_where_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_workers, "BATCH", 4)
    rows = read_matrix(few(tmp_path))[:20]
    trial = site_data.judged_trials(rows[0].cell)[0]

    def batches(parts: str) -> list[str]:
        """Return the files of the trials of every batch."""
        sheets = [
            render_workers.RenderJob(row, "", (replace(trial, part=part),) if part != "-" else ())
            for row, part in zip(rows, parts, strict=False)
        ]
        found = render_workers._batches([replace(one, row=replace(one.row, values=rows[0].values)) for one in sheets])
        return ["".join(one.stored[0].part if one.stored else "-" for one in batch) for batch in found]

    assert batches("aaabbbccc") == ["aaabbb", "ccc"]
    assert batches("aaaaaaabb") == ["aaaaaaa", "bb"]
    assert batches("aaaaaaaaaab") == ["aaaaaaaa", "aab"]
    assert batches("-----a") == ["-----", "a"]
    assert batches("") == []


def test_a_lost_process_is_an_error_and_keeps_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_workers, "MIN_PARALLEL_PAGES", 1)
    matrix = few(tmp_path)
    before = pages(build(matrix, site_data.SOURCE, tmp_path))
    with pytest.raises(SiteError, match=r"has ended .* repeat the command"):
        build(matrix, Source(site_data.trials, ends_itself), tmp_path, processes=2)
    assert pages(tmp_path / "site" / "index.html") == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")] == []


def test_an_error_in_a_process_is_raised_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_workers, "MIN_PARALLEL_PAGES", 1)
    with pytest.raises(SiteError, match="cannot be written: No space left on device"):
        build(few(tmp_path), Source(site_data.trials, has_no_room), tmp_path, processes=2)


def test_a_silent_process_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_workers, "MIN_PARALLEL_PAGES", 1)
    monkeypatch.setattr(render_workers, "STUCK_S", 8.0)
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("DRAWING_PIDS", str(tmp_path / "pids"))
    with pytest.raises(SiteError, match=r"did not answer for 8 s .* repeat the command"):
        build(few(tmp_path), Source(site_data.trials, tells_and_hangs), tmp_path, processes=2)
    assert not any(Path("/proc", path.name).exists() for path in (tmp_path / "pids").iterdir())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_its_parent(tmp_path: Path, number: int) -> None:
    script = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from probe.site import Source, build\n"
        "from probe.site.render import render_workers\n"
        "from tests.site import test_site_render_workers as t\n"
        "from tests.support import site_data\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))\n"
        "    render_workers.MIN_PARALLEL_PAGES = 1\n"
        "    folder = Path(sys.argv[1])\n"
        "    build(t.few(folder), Source(site_data.trials, t.tells_and_hangs), folder, processes=2)\n"
    )
    (tmp_path / "script.py").write_text(script)
    (pids := tmp_path / "pids").mkdir()
    environment = os.environ | {"DRAWING_PIDS": str(pids), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, tmp_path / "script.py", tmp_path], env=environment) as parent:
        try:
            wait_for(lambda: len(list(pids.iterdir())) > 0, LONGEST_S)
            parent.send_signal(number)
            parent.wait(20)
        finally:
            parent.kill()
    wait_for(lambda: not any(Path("/proc", path.name).exists() for path in pids.iterdir()), LONGEST_S)
