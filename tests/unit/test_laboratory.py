"""What needs the laboratory says so in one line where it is not installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from probe.cli import laboratory, lazy_group
from probe.cli.laboratory import LATER, PACKAGES, LaboratoryError, is_missing, need_laboratory
from probe.model import Outcome
from tests.support.synthetic_rows import CELL, fill

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
GROUP = {re.split(r"[<>=; ]", line)[0] for line in PROJECT["dependency-groups"]["laboratory"]}
BARE = f"""
import sys
for name in {[*PACKAGES, *LATER]!r}:
    sys.modules[name] = None
"""
"""As in an installation whose packages are those of look-ups."""
MAIN = "from probe.cli import main\nmain()"
LOAD_ALL = """
from probe.cli import lazy_group
from probe.errors import ProbeError
for name in lazy_group.COMMANDS:
    try:
        lazy_group.load(name)
        print(name, "started")
    except ProbeError as error:
        print(name, error)
"""


def bare(*arguments: str, folder: Path, code: str = MAIN) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", BARE + code, *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder)


def says_so(done: subprocess.CompletedProcess[str]) -> bool:
    last = done.stderr.splitlines()[-1]
    return (
        done.returncode == 2
        and "Traceback" not in done.stderr
        and "needs the laboratory, which is not installed here" in last
        and "`python3 run.py probe`" in last
    )


def test_the_table_names_the_modules_of_the_dependency_group() -> None:
    named = {*PACKAGES, *LATER}
    owners = {name: {owner.lower() for owner in found} for name, found in packages_distributions().items()}
    assert {name for name in named - {"numpy"} if GROUP.isdisjoint(owners[name])} == set()
    assert {one for one in GROUP if all(one not in owners[name] for name in named & owners.keys())} == set()


def test_look_ups_ask_for_no_package_of_the_laboratory() -> None:
    assert GROUP.isdisjoint(re.split(r"[<>=; ]", line)[0] for line in PROJECT["project"]["dependencies"])


def test_commands_of_the_laboratory_say_what_to_do_and_the_others_start(tmp_path: Path) -> None:
    done = bare(code=LOAD_ALL, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert {name: lines[name] == "started" for name in lazy_group.COMMANDS} == {
        name: not command.laboratory for name, command in lazy_group.COMMANDS.items()
    }
    assert all(f"`probe {name}` needs the laboratory" in text for name, text in lines.items() if text != "started")


def test_a_command_of_the_laboratory_writes_one_line_and_no_file(tmp_path: Path) -> None:
    done = bare("run", "--results", str(tmp_path / "results"), folder=tmp_path)
    assert says_so(done), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_core_run_says_it_too(tmp_path: Path) -> None:
    done = bare(folder=tmp_path)
    assert says_so(done), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "fleet.txt", "--run"],
        ["advise", "sarama", "1.43.2", "1.43.3", "--run"],
        ["bisect", "sarama", "disk/storage-error"],
    ],
    ids=" ".join,
)
def test_an_option_that_runs_cells_says_so(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "fleet.txt").write_text("sarama@1.43.2\n")
    done = bare(*arguments, folder=tmp_path)
    assert says_so(done), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["fleet.txt"]


def test_stored_runs_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK))
    done = bare("show", folder=tmp_path)
    assert says_so(done), done.stderr


def test_the_settled_cells_of_stored_runs_are_read_without_the_laboratory(tmp_path: Path) -> None:
    (tmp_path / "fleet.txt").write_text(f"{CELL.client}\n")
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK))
    done = bare("audit", "fleet.txt", folder=tmp_path)
    assert done.returncode == 1
    assert "own results" in done.stdout


def test_the_first_absent_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    need_laboratory("anything")
    monkeypatch.setattr(laboratory, "PACKAGES", ("json", "no_such_package"))
    with pytest.raises(LaboratoryError, match=r"anything needs the laboratory.*\(no_such_package is missing\)"):
        need_laboratory("anything")


def test_a_missing_module_of_ours_stays_an_error() -> None:
    assert is_missing(ModuleNotFoundError(name="pyarrow.parquet"))
    assert not is_missing(ModuleNotFoundError(name="probe.store.nothing"))
    assert not is_missing(ModuleNotFoundError())


@pytest.mark.parametrize("mebibytes", [200, 999])
def test_too_little_address_space_is_one_line(mebibytes: int, tmp_path: Path) -> None:
    script = f'ulimit -v {mebibytes * 1024}; exec "$@"'
    argv = ["sh", "-c", script, "sh", sys.executable, "-c", MAIN, "run", "--results", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert line == f"probe: `probe run` needs 1000 MiB of address space, and {mebibytes} are allowed; raise `ulimit -v`"
    assert done.returncode == 3
