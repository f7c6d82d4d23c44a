"""Builds of Go programs into the cache."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from probe.toolchain import golang
from probe.toolchain.tools import ToolError


def test_concurrent_builds_fill_a_folder_once(tmp_path: Path) -> None:
    filled: list[Path] = []

    def fill() -> None:
        with golang.building(tmp_path / "x") as scratch:
            if scratch is not None:
                (scratch / "program").write_text("whole")
                filled.append(scratch)

    threads = [threading.Thread(target=fill) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(filled) == 1
    assert (tmp_path / "x" / "program").read_text() == "whole"


def test_a_failed_build_leaves_no_files(tmp_path: Path) -> None:
    def fail() -> None:
        with golang.building(tmp_path / "x") as scratch:
            assert scratch is not None
            (scratch / "half").write_text("")
            raise ToolError("broken")

    with pytest.raises(ToolError, match="broken"):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == [".x.lock"]
    with golang.building(tmp_path / "x") as again:
        assert again is not None


def test_a_lock_held_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "LIMIT_S", 0.2)
    with golang.building(tmp_path / "x"), pytest.raises(ToolError, match=r"\.x\.lock is held"):  # noqa: SIM117 the first holds the lock
        with golang.building(tmp_path / "x"):
            pass


def test_the_hash_depends_on_sources_and_salt_but_not_on_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "SHIM", tmp_path)
    source = tmp_path / "cmd" / "a.go"
    source.parent.mkdir()
    source.write_text("package a")
    first = golang.source_hash("cmd")
    (tmp_path / "cmd" / "a_test.go").write_text("package a")
    assert golang.source_hash("cmd") == first
    assert golang.source_hash("cmd", salt="x") != first
    source.write_text("package b")
    assert golang.source_hash("cmd") != first


def test_a_build_error_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "SHIM", tmp_path)
    (tmp_path / "go.mod").write_text("module broken\n\ngo 1.21\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")
    with pytest.raises(ToolError, match=r"^\. did not build: .*undefined: undefined$"):
        golang.build(".", tmp_path / "out")


def test_programs_are_built_with_linker_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "SHIM", tmp_path)
    (tmp_path / "go.mod").write_text("module small\n\ngo 1.21\n")
    (tmp_path / "main.go").write_text('package main\n\nvar local = "none"\n\nfunc main() { println(local) }\n')
    golang.build(".", tmp_path / "out", variables={"main.local": "ab12cd34"})
    done = subprocess.run([tmp_path / "out"], capture_output=True, text=True, check=True)
    assert done.stderr == "ab12cd34\n"


def test_a_missing_go_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    with pytest.raises(ToolError, match=r"^go is not on this machine; install Go"):
        golang.build("./cmd/fake-cluster", tmp_path / "out")


def test_a_missing_c_compiler_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    with pytest.raises(ToolError, match=r"^gcc is not on this machine; install a C\+\+ compiler"):
        golang.build("./cmd/confluent-go-driver", tmp_path / "out", cgo=True)


def test_programs_contain_no_c_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "SHIM", tmp_path)
    (tmp_path / "go.mod").write_text("module small\n\ngo 1.21\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() { println(inside) }\n")
    (tmp_path / "c.go").write_text('//go:build cgo\n\npackage main\n\nimport "C"\n\nconst inside = "c"\n')
    (tmp_path / "no_c.go").write_text('//go:build !cgo\n\npackage main\n\nconst inside = "no c"\n')
    for cgo, said in ((False, "no c\n"), (True, "c\n")):
        golang.build(".", tmp_path / "out", cgo=cgo)
        done = subprocess.run([tmp_path / "out"], capture_output=True, text=True, check=True)
        assert done.stderr == said
