"""Files and folders are replaced completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probe.files import atomic_writes


def fail_half_way(path: Path) -> None:
    path.write_text("half")
    path.with_name("none").read_text()


def test_a_write_replaces_the_file_and_creates_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    atomic_writes.write_file(path, "one\udc80")
    assert path.read_bytes() == b"one\\udc80"
    atomic_writes.write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [item.name for item in path.parent.iterdir()] == ["file.txt"]


def test_the_old_file_remains_until_the_new_one_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced = tmp_path / "file", []
    path.write_text("old")

    def fsync(descriptor: int) -> None:
        synced.append((path.read_text(), os.fstat(descriptor).st_size))

    monkeypatch.setattr(atomic_writes.os, "fsync", fsync)
    atomic_writes.write_file(path, "newer")
    assert synced == [("old", 5)]
    assert path.read_text() == "newer"


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), atomic_writes.writing(path) as aside:
        fail_half_way(aside)
    assert [(item.name, item.read_text()) for item in tmp_path.iterdir()] == [("file", "old")]


def test_a_new_folder_replaces_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for text in ("old", "new"):
        with atomic_writes.filling(path) as whole:
            (whole / text).touch()
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]
    assert [item.name for item in path.iterdir()] == ["new"]


def test_a_folder_is_replaced_without_an_atomic_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_writes, "_exchange", lambda *_: False)
    test_a_new_folder_replaces_the_old_one(tmp_path)


def test_a_failed_folder_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(FileNotFoundError), atomic_writes.filling(path) as whole:
        fail_half_way(whole / "half")
    assert list(tmp_path.iterdir()) == [path]
    assert list(path.iterdir()) == []
