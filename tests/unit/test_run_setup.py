"""`run.py setup`: silent in a complete environment, and complete in any other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probe.toolchain import setup_state
from probe.toolchain.lookup_wheels import WHEELS

ROOT = Path(__file__).parents[2]
PACKAGES = ("__init__", "errors", "toolchain/__init__", "files/__init__", "files/atomic_writes")
SOURCES = ("run.py", *setup_state.MODULES, *setup_state.PINS, *(f"probe/{name}.py" for name in PACKAGES))
UV = """#!/bin/sh
echo uv "$@" >> {log}
case "$*" in *--check*) exit {check} ;; esac
case "$1" in export) cat {venv}/../uv.lock 2>&-; exit 0 ;; tool|build) exit ;; esac
mkdir -p {venv}/bin {venv}/lib/{python}/site-packages/a-1.dist-info
ln -sf /bin/sh {venv}/bin/{python}
"""
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
TOOLS = {
    "java": "echo 'openjdk version \"21.0.1\"'",
    "go": "echo go version go1.99",
    "node": "echo v24.0.0",
    "npm": ":",
}


ANSWERS_CHECK, FAILS_CHECK, HAS_NO_CHECK = 0, 1, 2


def write(path: Path, text: str) -> None:
    """Write a program, unless it already has this text."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)


def set_up(folder: Path, check: int = ANSWERS_CHECK, task: str = "setup", **env: str) -> tuple[str, list[str]]:
    """Run a task of run.py in a separate folder with stub tools; return its output and the tools that it started."""
    tools, log, venv = folder / "cache" / "tools" / "bin", folder / "log", folder / ".venv"
    tools.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    for name, body in TOOLS.items():
        write(tools / name, f"#!/bin/sh\necho {name} >> {log}\n{body}\n")
    write(tools / "uv", UV.format(log=log, check=check, venv=venv, python=PYTHON))
    for name in SOURCES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    path = os.pathsep.join([str(tools), "/usr/bin", "/bin"])
    settings = {**os.environ, "PATH": path, "PROBE_CACHE": str(folder / "cache"), "JAVA_HOME": "", **env}
    command = [sys.executable, str(folder / "run.py"), task]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
    assert done.returncode == 0, done.stderr
    return done.stderr, log.read_text().splitlines()


def checks(calls: list[str]) -> list[bool]:
    """Return for every call of uv whether it only checks."""
    return ["--check" in call for call in calls if call.startswith("uv sync ")]


def test_a_new_environment_is_announced_and_created(tmp_path: Path) -> None:
    output, calls = set_up(tmp_path)
    assert "Python packages" in output
    assert checks(calls) == [False]


@pytest.mark.parametrize(
    ("check", "announced"),
    [
        (ANSWERS_CHECK, False),
        pytest.param(FAILS_CHECK, True, id="uv.lock changed"),
        pytest.param(HAS_NO_CHECK, True, id="a uv without --check"),
    ],
)
def test_only_an_incomplete_environment_is_synced(tmp_path: Path, check: int, announced: bool) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / PYTHON).symlink_to("/bin/sh")  # else the fastest build is looked for and may be named
    output, calls = set_up(tmp_path, check)
    assert ("Python packages" in output) is announced
    assert any("wheels" not in line for line in output.splitlines()) is announced
    assert checks(calls) == [True] + [False] * announced


def test_a_complete_environment_is_noticed_without_starting_a_tool(tmp_path: Path) -> None:
    _, first = set_up(tmp_path)
    assert {call.split()[0] for call in first} >= {"uv", "java", "go", "node"}
    assert set_up(tmp_path) == ("", [])


def touch_input(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text("changed\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "uv.lock": touch_input("uv.lock"),
    "pyproject.toml": touch_input("pyproject.toml"),
    ".venv removed": lambda folder: shutil.rmtree(folder / ".venv"),
    "interpreter gone": lambda folder: (folder / ".venv" / "bin" / PYTHON).unlink(),
    "interpreter replaced": lambda folder: replace(folder / ".venv" / "bin" / PYTHON, "/bin/cat"),
    "package removed": lambda folder: shutil.rmtree(next((folder / ".venv" / "lib").glob("*/*/a-1.dist-info"))),
    "package added": lambda folder: (next((folder / ".venv" / "lib").glob("*/*")) / "b.pth").touch(),
    "tool replaced": lambda folder: os.utime(folder / "cache" / "tools" / "bin" / "go", (1, 1)),
    "stamp damaged": lambda folder: (folder / ".venv" / setup_state.STAMP).write_text("{"),
}


def replace(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_any_change_makes_the_whole_set_up_run(tmp_path: Path, change: Callable[[Path], object]) -> None:
    set_up(tmp_path)
    change(tmp_path)
    _, calls = set_up(tmp_path)
    assert checks(calls)
    assert "java" in calls


def downloads(calls: list[str]) -> int:
    return sum("pip download" in call for call in calls)


def test_the_folder_of_wheels_is_filled_once_for_all_checkouts_with_the_same_packages(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text("one\n")
    assert downloads(set_up(tmp_path)[1]) == 1
    first = (tmp_path / ".venv" / WHEELS).resolve(strict=True)
    shutil.rmtree(tmp_path / ".venv")  # as in a new checkout
    assert downloads(set_up(tmp_path)[1]) == 0
    assert (tmp_path / ".venv" / WHEELS).resolve() == first
    (tmp_path / "uv.lock").write_text("two\n")
    assert downloads(set_up(tmp_path)[1]) == 1
    assert (tmp_path / ".venv" / WHEELS).resolve(strict=True) != first


def test_a_folder_of_wheels_that_is_gone_is_filled_again(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text("one\n")
    set_up(tmp_path)
    shutil.rmtree((tmp_path / ".venv" / WHEELS).resolve(strict=True))
    assert downloads(set_up(tmp_path)[1]) == 1
    assert set_up(tmp_path) == ("", [])


def test_a_wheel_is_built_without_an_environment_and_its_tools(tmp_path: Path) -> None:
    _, calls = set_up(tmp_path, task="wheel")
    assert [call.split()[:2] for call in calls] == [["uv", "export"], ["uv", "tool"], ["uv", "build"]]
    assert not (tmp_path / ".venv").exists()


def test_another_java_home_is_checked(tmp_path: Path) -> None:
    set_up(tmp_path)
    home = tmp_path / "jdk" / "bin"
    home.mkdir(parents=True)
    write(home / "java", "#!/bin/sh\necho 'openjdk version \"21.0.1\"'\n")
    assert set_up(tmp_path, JAVA_HOME=str(home.parent))[1]


def state_of(folder: Path, **tools: str) -> dict[str, Any]:
    """Return the state with an environment and the given tools, all of them one program by default."""
    (folder / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
    (folder / ".venv" / "lib" / PYTHON / "site-packages" / "a-1.dist-info").mkdir(parents=True, exist_ok=True)
    write(folder / ".venv" / "bin" / PYTHON, "")
    program = folder / "program"
    write(program, "")
    return setup_state.read_state(
        folder, {**dict.fromkeys(("uv", "java", "go", "node", "npm"), str(program)), **tools}, folder / "ours"
    )


def test_a_state_with_a_missing_part_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    whole = state_of(tmp_path)
    for part in (*setup_state.PARTS, "java"):
        state = {**whole, part: None}
        setup_state.leave_state(tmp_path, state)
        assert not setup_state.is_as_left(tmp_path, state), part
    setup_state.leave_state(tmp_path, whole)
    assert setup_state.is_as_left(tmp_path, state_of(tmp_path))


def test_the_state_says_nothing_about_the_version_behind_a_script_of_a_version_manager(tmp_path: Path) -> None:
    shim = tmp_path / "go"
    shim.write_text("#!/bin/sh\n")
    state = state_of(tmp_path, go=str(shim))
    setup_state.leave_state(tmp_path, state)
    assert not setup_state.is_as_left(tmp_path, state)


def test_a_fetched_tool_whose_folder_is_gone_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    fetched, script = tmp_path / "fetched", tmp_path / "ours" / "go"
    fetched.touch()
    script.write_text(f'#!/bin/sh\nexec "{fetched}" "$@"\n')
    setup_state.leave_state(tmp_path, state_of(tmp_path, go=str(script)))
    assert setup_state.is_as_left(tmp_path, state_of(tmp_path, go=str(script)))
    fetched.unlink()
    assert not setup_state.is_as_left(tmp_path, state_of(tmp_path, go=str(script)))
