"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probe.files import atomic


def fail_half_way(path: Path) -> None:
    path.write_text("half")
    path.with_name("none").read_text()


def test_a_file_is_written_whole_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    atomic.write_file(path, "one\udc80")
    assert path.read_bytes() == b"one\\udc80"
    atomic.write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [item.name for item in path.parent.iterdir()] == ["file.txt"]


def test_the_old_file_stands_until_the_new_one_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced = tmp_path / "file", []
    path.write_text("old")

    def fsync(descriptor: int) -> None:
        synced.append((path.read_text(), os.fstat(descriptor).st_size))

    monkeypatch.setattr(atomic.os, "fsync", fsync)
    atomic.write_file(path, "newer")
    assert synced == [("old", 5)]
    assert path.read_text() == "newer"


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), atomic.writing(path) as aside:
        fail_half_way(aside)
    assert [(item.name, item.read_text()) for item in tmp_path.iterdir()] == [("file", "old")]


def test_a_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for text in ("old", "new"):
        with atomic.filling(path) as whole:
            (whole / text).touch()
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]
    assert [item.name for item in path.iterdir()] == ["new"]


def test_a_folder_takes_the_place_where_the_system_cannot_exchange_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    test_a_folder_takes_the_place_of_the_old_one(tmp_path)


def test_a_folder_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(FileNotFoundError), atomic.filling(path) as whole:
        fail_half_way(whole / "half")
    assert list(tmp_path.iterdir()) == [path]
    assert list(path.iterdir()) == []
