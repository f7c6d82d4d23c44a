"""Rules of the repository that a program can check."""

from __future__ import annotations

import ast
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from probe.catalogue.families import read_families
from probe.files.locks import take
from probe.toolchain.tools import ToolError, cache_root, find_tool

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
GENERATED = re.compile(r"_pb2|\.pb\.(go|rs)$")


def check(*argv: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})})
    assert done.returncode == 0, done.stdout + done.stderr


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".go"}]
    return [path for path in found if not GENERATED.search(path.name) and "__pycache__" not in path.parts]


compiling = pytest.mark.xdist_group("compiling")
"""Compilers take all cores: one after the other."""
GO_SETTINGS = {"GOFLAGS": "-trimpath"}
"""What Go compiled and tested in one checkout then counts in every other with the same sources."""


def test_generated_cases_have_no_time_bound() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check


def test_ruff_finds_nothing() -> None:
    check(str(BIN / "ruff"), "check", ".")
    check(str(BIN / "ruff"), "format", "--check", ".")


def check_types(cache: str, *argv: str, env: Mapping[str, str] | None = None) -> None:
    """Let mypy check, with what it found in any checkout for the same sources, which it compares by their digests.

    Each set of options has a cache of its own: mypy reads none that others made. While another checkout writes a cache,
    this one's own is used.
    """
    folder = cache_root() / "mypy" / cache
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as writing:
        used = folder if take(writing.fileno()) else ROOT / ".mypy_cache" / cache
        check(str(BIN / "mypy"), "--strict", "--cache-dir", str(used), *argv, env=env)


def test_mypy_finds_nothing() -> None:
    check_types("probe", "probe", "spark", "run.py", "hatch_build.py", "proto/generate.py")


BINDING = ROOT / "clients" / "librdkafka" / "binding"
"""Folder that replaces the package confluent_kafka for some releases; checked separately for that reason."""


@pytest.mark.parametrize("binding", [False, True])
def test_mypy_finds_nothing_in_clients(binding: bool) -> None:
    """Libraries without types are ignored, since the libraries under test come in many versions."""
    packages = sorted(path.parent for path in (ROOT / "clients").rglob("__init__.py"))
    checked = [str(path) for path in packages if (BINDING in path.parents) is binding]
    assert checked
    families = [str(path) for path in sorted((ROOT / "clients").iterdir()) if path.is_dir()]
    cache = "binding" if binding else "clients"
    check_types(cache, "--ignore-missing-imports", *checked, env={"MYPYPATH": os.pathsep.join(families)})


def test_imports_follow_the_layers() -> None:
    check(str(BIN / "lint-imports"))


@compiling
def test_go_is_formatted_and_vetted() -> None:
    go = find_tool("go")
    done = subprocess.run([str(go), "fmt", "-n", "./..."], cwd=ROOT / "go_shim", capture_output=True, check=False)
    assert done.returncode == 0
    gofmt = shutil.which("gofmt", path=f"{go.resolve().parent}") or "gofmt"
    listed = subprocess.run([gofmt, "-l", "."], cwd=ROOT / "go_shim", capture_output=True, text=True, check=True)
    assert listed.stdout == ""
    check(str(go), "vet", "./...", cwd=ROOT / "go_shim", env=GO_SETTINGS)


def drivers_in_rust() -> list[Path]:
    """Return the folders of the Rust drivers; a machine without Rust skips them."""
    try:
        find_tool("cargo")
    except ToolError as error:
        pytest.skip(str(error))
    return sorted(path.parent for path in (ROOT / "clients").glob("*/driver/Cargo.toml"))


def test_rust_is_formatted() -> None:
    for folder in [*drivers_in_rust(), ROOT / "clients" / "rust" / "driver_runtime"]:
        check(str(find_tool("cargo")), "fmt", "--check", cwd=folder)


@compiling
@pytest.mark.real
@pytest.mark.timeout(900)
def test_clippy_finds_nothing() -> None:
    """Each driver with the version of its library that its lock file names, the newest, and all features."""
    target = cache_root() / "crates" / "clippy"
    for folder in drivers_in_rust():
        for what in (("--all-features",), ("--package", "driver-runtime")):
            arguments = ("clippy", "--locked", "--target-dir", str(target), *what, "--", "--deny", "warnings")
            check(str(find_tool("cargo")), *arguments, cwd=folder)


@compiling
def test_staticcheck_finds_nothing() -> None:
    check(str(find_tool("go")), "tool", "staticcheck", "./...", cwd=ROOT / "go_shim", env=GO_SETTINGS)


@compiling
def test_go_tests_pass() -> None:
    """Some tests measure the fake cluster's clock, so none runs while others are still being compiled."""
    for run in (("-run", "^$"), ("-p", "1")):
        check(str(find_tool("go")), "test", *run, "./...", cwd=ROOT / "go_shim", env=GO_SETTINGS)


FORMATS = {"probe/reports/audit/sarif.py": "2.1.0"}
"""Versions of formats that are also those of a client."""


def code_of(path: Path) -> list[tuple[int, str]]:
    """Return the lines of a source without comments and docstrings, which may cite client versions."""
    text = path.read_text()
    if path.suffix == ".go":
        bare = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
        return list(enumerate((re.sub(r"(?<!:)//.*", "", line) for line in bare.splitlines()), 1))
    tree = ast.parse(text)
    prose = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    return [
        (node.lineno, str(node.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node not in prose and isinstance(node.value, str | float)
    ]


@pytest.mark.parametrize("folder", ["probe", "spark", "go_shim"])
def test_no_client_version_is_in_the_sources(folder: str) -> None:
    """Code that names a client version could produce a result that is not measured."""
    versions = {item.version for family in read_families(ROOT / "clients").values() for item in family.versions}
    pattern = re.compile(r"(?<![\d.])(" + "|".join(re.escape(version) for version in sorted(versions)) + r")(?![\d.])")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources(folder)
        if not path.name.endswith("_test.go")
        for number, line in code_of(path)
        if pattern.search(line.replace(FORMATS.get(str(path.relative_to(ROOT)), "\0"), ""))
    ]
    assert found == []


def test_stubs_match_the_protobuf_contracts(tmp_path: Path) -> None:
    stubs = runpy.run_path(str(ROOT / "proto" / "generate.py"))
    subprocess.run(
        [sys.executable, "-c", f"import generate, pathlib; generate.python_stubs(pathlib.Path({str(tmp_path)!r}))"],
        cwd=ROOT / "proto",
        env={"PATH": f"{BIN}:/usr/bin:/bin"},
        check=True,
        capture_output=True,
    )
    for package, name in stubs["PYTHON"]:
        for made in (tmp_path / package).glob(f"{Path(name).stem}_pb2*"):
            assert made.read_text() == (ROOT / package / made.name).read_text(), made.name
