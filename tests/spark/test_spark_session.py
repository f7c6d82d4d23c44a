"""Spark sessions: one line where they cannot start, nothing left behind where they did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from probe.model import Cell
from probe.toolchain.tools import ToolError
from spark import class_archive, session, temporary_folders
from tests.support.synthetic_rows import random_rows, write

ROOT = Path(__file__).parents[2]


def test_a_missing_java_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ToolError, match="java is not on this machine; install a JDK"):
        session.start_session()


def test_a_failing_java_is_named(tmp_path: Path) -> None:
    """In a process of its own, since a session of another test would be reused."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    write(tmp_path / "results", random_rows(1, 2))
    done = _job(tmp_path, JAVA_HOME=str(tmp_path))
    assert done.returncode == 2
    assert f"Spark does not start with {java}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("probe-spark-*"))


def test_leftovers_of_a_killed_session_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only leftovers are removed: no folder of a living process, none in the making, no foreign file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "from spark.temporary_folders import make_folder; print(make_folder(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        left = Path(other.stdout.readline().strip())
        strange = tmp_path / f"{temporary_folders.PREFIX}strange"
        strange.mkdir()
        for folder in (left, strange):
            os.utime(folder, (0, 0))
        temporary_folders.remove_folder(temporary_folders.make_folder())
        assert left.exists()
        other.kill()
        other.wait(20)
        (left / "young").touch()  # changes the folder's time
        temporary_folders.remove_folder(temporary_folders.make_folder())
        assert left.exists()
        os.utime(left, (0, 0))
        temporary_folders.remove_folder(temporary_folders.make_folder())
    assert list(tmp_path.iterdir()) == [strange]


def test_the_archive_of_classes_is_kept_for_the_same_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    java = tmp_path / "java"
    java.write_text("a program")
    folder = tmp_path / "session"
    folder.mkdir()
    options = class_archive.archive_options(java, str(folder))
    assert options[0] == f"-XX:ArchiveClassesAtExit={folder}/classes.jsa"
    assert class_archive.writes_archive(" ".join(options))
    class_archive.keep_archive(java, str(folder))  # the JVM was killed, or writes no archives
    assert class_archive.archive_options(java, str(folder)) == options
    (folder / "classes.jsa").write_text("classes")
    class_archive.keep_archive(java, str(folder))
    (kept,) = (tmp_path / "cache" / "spark").iterdir()
    assert kept.read_text() == "classes"
    options = class_archive.archive_options(java, str(folder))
    assert options[0] == f"-XX:SharedArchiveFile={kept}"
    assert not class_archive.writes_archive(" ".join(options))
    java.write_text("another program")
    assert class_archive.writes_archive(" ".join(class_archive.archive_options(java, str(folder))))
    monkeypatch.setenv("PROBE_CACHE", str(kept / "no folder"))
    assert class_archive.archive_options(java, str(folder)) == ()


def test_archives_of_javas_that_nobody_uses_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "classes.jsa").write_text("classes")
    javas = [tmp_path / f"java-{nth}" for nth in range(6)]
    files: list[Path] = []
    for nth, java in enumerate(javas):
        java.write_text("a program")
        class_archive.keep_archive(java, str(tmp_path))
        (made,) = set((tmp_path / "cache" / "spark").iterdir()) - set(files)
        files.append(made)
        os.utime(made, (nth, nth))
        class_archive.archive_options(javas[0], str(tmp_path))  # is used all the time
    assert [path.exists() for path in files] == [True, False, False, True, True, True]


@pytest.mark.spark
def test_the_job_runs_by_itself_and_cleans_up(tmp_path: Path) -> None:
    runs = random_rows(11, 5)
    entered = {Cell.of(row) for rows in runs.values() for row in rows if not (row["shortened"] or row["sweep"])}
    write(tmp_path / "results", runs)
    done = _job(tmp_path)
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path}/out/matrix.csv: {len(entered)} cells from 6 files\n"
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("probe-spark-*"))
    assert not _mine_running(tmp_path)
    assert {"matrix.csv", "matrix.parquet"} < {path.name for path in (tmp_path / "out").iterdir()}
    assert not list(ROOT.glob("*metastore*"))


def test_matrix_rows_have_a_schema() -> None:
    from spark.schema import MATRIX  # noqa: PLC0415  # keeps the other tests free of it

    schema = json.loads((ROOT / "docs" / "schema" / "matrix-row.json").read_text())
    assert list(schema["properties"]) == MATRIX.names


def _job(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spark.job", "--results", f"{folder}/results", "--out", f"{folder}/out"]
    return subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(folder), **env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def _mine_running(folder: Path) -> list[str]:
    """Processes with the test's own folder in their command, as the JVM has."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command and path.parent.name != str(os.getpid()):
            found.append(command)
    return found
