"""Bytecode of sources that are gone does not stay in the cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from probe.files.atomic_writes import remove_folder
from probe.files.bytecode import FOLDER, drop_orphans


def imported(folder: Path, cache: Path) -> Path:
    """Import a module of a folder as drivers do; return the folder of its bytecode."""
    (folder / "package").mkdir(parents=True)
    (folder / "package" / "__init__.py").write_text("")
    command = [sys.executable, "-X", f"pycache_prefix={cache / FOLDER}", "-c", "import package"]
    subprocess.run(command, cwd=folder, check=True, timeout=30, env={})  # this interpreter
    [compiled] = (cache / FOLDER).joinpath(*folder.resolve().parts[1:]).rglob("*.pyc")
    return compiled.parent


def test_only_bytecode_of_folders_that_are_gone_is_dropped(tmp_path: Path) -> None:
    kept, gone = imported(tmp_path / "kept", tmp_path / "cache"), imported(tmp_path / "gone", tmp_path / "cache")
    remove_folder(tmp_path / "gone")
    drop_orphans(tmp_path / "cache")
    assert (kept.is_dir(), gone.exists(), gone.parent.exists()) == (True, False, False)


def test_a_cache_without_bytecode_has_nothing_to_drop(tmp_path: Path) -> None:
    drop_orphans(tmp_path)
    assert not list(tmp_path.iterdir())
