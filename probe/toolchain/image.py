"""Builds the image of docker/Dockerfile, and runs the schedule's command in it twice: a step before a release.

Containers, volumes, the image and temporary files are removed at the end, also if a signal or an error ends it. What a
container engine keeps of a build for the next one (layers, base images) stays with the engine.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from probe.errors import ProbeError
from probe.files.sources import ROOT
from probe.toolchain import image_bases, image_bill
from probe.toolchain.commands import run_command
from probe.toolchain.image_engines import (
    BUILDAH,
    CONTAINER_ENGINES,
    DOCKERFILE,
    VOLUMES,
    Buildah,
    ContainerEngine,
    ImageEngine,
    Machine,
    base_images,
    choose,
    read_config,
    scheduled,
)

RUNS = 2
ANSWER_S = 30
BUILD_S = 2400
"""Longest time for the image, and for each base image."""
CLOSE_S = 120
"""Longest time for each command that makes or removes a container or volumes."""
GRACE_S = 10
"""Time between SIGTERM and SIGKILL for a command."""
OVER_S = 300
"""Time that a run may need beyond its budget: the end of what is being published on a busy machine."""
ROOM_GB = 14
"""The need of buildah for disk with temporary files: it copies every layer."""
PARENT = "/var/lib/containers"
"""Folder of container tools on the machine: buildah makes it for a cache file of its own, whatever its options are."""
CHECK = """\
fail() { echo "image: $1" >&2; exit 1; }
[ "$(id -u)" = "$1" ] || fail "the user is $(id -u) and not $1"
for file in matrix.csv site/index.html; do
  [ -s "/results/$file" ] || fail "the volume has no $file"
done
runs=$(ls -d /results/run_id=* | wc -l)
[ "$runs" -eq "$2" ] || fail "the volume has $runs runs and not $2"
echo "image: as user $(id -u): $runs runs; matrix.csv with $(wc -l < /results/matrix.csv) lines; \
site with $(find /results/site -type f | wc -l) files; owner $(stat -c %u /results/matrix.csv /results/site | xargs)"
"""
"""Script that looks for the published files in the volume. Arguments: the user's number, and the number of runs."""


def build_and_run(budget_s: int, extra: Sequence[str] = (), bill: Path | None = None) -> None:
    """Build the image and run the schedule's command twice, each with this budget in seconds and further options.

    `bill`: the file for the image's SBOM. Raises ProbeError if there is no engine, or a step fails.
    """
    name = choose(_machine())
    scanner = image_bill.scanner() if bill else ""
    _say(f"{name} builds {DOCKERFILE}")
    with _engine(name) as (engine, env):
        began = time.monotonic()
        _step("the build", engine.build(), BUILD_S, env)
        _say(f"built in {time.monotonic() - began:.0f} s")
        if bill:
            _describe(engine, env, scanner, bill)
        config = read_config(_output(engine.config(), env), engine.config_at)
        for command in engine.open(config.user):
            _step("the container", command, CLOSE_S, env)
        for number in range(1, RUNS + 1):
            began = time.monotonic()
            _step(f"run {number}", engine.run(scheduled(config, budget_s, extra)), budget_s + OVER_S, env)
            _say(f"run {number} of {RUNS} ended after {time.monotonic() - began:.0f} s")
            _step(
                f"the check of run {number}",
                engine.run(["/bin/sh", "-c", CHECK, "sh", config.user, str(number)]),
                ANSWER_S,
                env,
            )
    _say(f"done: built and run {RUNS} times as user {config.user}; everything is removed")


def _describe(engine: ImageEngine, env: Mapping[str, str], scanner: str, bill: Path) -> None:
    """Write the SBOM of the built image; its archive is removed afterwards."""
    with tempfile.TemporaryDirectory(dir=env.get("TMPDIR")) as made:
        archive = Path(made) / "image.tar"
        _step("the archive", engine.export(str(archive)), BUILD_S, env)
        _step("the SBOM", image_bill.scan(scanner, archive, bill), BUILD_S, env)
    _say(f"SBOM: {bill}")


def certificates() -> str | None:
    """Return the file with the certificates that this machine trusts: of its variables, else OpenSSL's default."""
    default = ssl.get_default_verify_paths()
    folder = default.capath and str(Path(default.capath) / "ca-certificates.crt")
    named = (os.environ.get("SSL_CERT_FILE"), os.environ.get("REQUESTS_CA_BUNDLE"), default.cafile, folder)
    return next((str(Path(place).resolve()) for place in named if place and Path(place).is_file()), None)


def _machine() -> Machine:
    found = {name: _why_silent(name) for name in CONTAINER_ENGINES if shutil.which(name)}
    return Machine(found, os.geteuid() == 0, image_bases.missing())


def _why_silent(engine: str) -> str:
    """Return why a container engine does not answer; empty if it does."""
    try:
        done = run_command([engine, "ps"], ANSWER_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return " ".join(str(error).split())
    lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"]
    return lines[-1].strip().rstrip(".") if done.returncode else ""


@contextlib.contextmanager
def _engine(name: str) -> Iterator[tuple[ImageEngine, Mapping[str, str]]]:
    """Open an engine with the environment of its commands; remove everything that it made at exit."""
    tag = f"kafka-metadata-probe-{os.getpid()}"
    if name in CONTAINER_ENGINES:
        engine = ContainerEngine(name, tag)
        try:
            yield engine, os.environ
        finally:
            for command in engine.close():
                with contextlib.suppress(ProbeError):
                    _output(command, os.environ)
        return
    with _working_folder() as work:
        env = {**os.environ, "BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs", "TMPDIR": str(work / "temporary")}
        for command in image_bases.linker_cache(work):
            _step("ldconfig", command, ANSWER_S, env)
        built = Buildah(image_bases.buildah(work), str(work), tag, certificates())
        for base in base_images((ROOT / DOCKERFILE).read_text()):
            _say(f"base image {base}")
            image_bases.make(base, built, work, partial(_long_step, f"base image {base}", env))
        yield built, env


@contextlib.contextmanager
def _working_folder() -> Iterator[Path]:
    """Make the folder that holds all that buildah writes; remove it at exit."""
    is_new = not Path(PARENT).exists()
    with tempfile.TemporaryDirectory(prefix=f"{BUILDAH}-") as made:
        work = Path(made)
        if (free := shutil.disk_usage(work).free >> 30) < ROOM_GB:
            raise ProbeError(
                f"{work.parent} has {free} GiB free and the image needs {ROOM_GB}; set TMPDIR to a larger place"
            )
        for name in ("temporary", *(f"volumes/{volume}" for volume in VOLUMES)):
            (work / name).mkdir(parents=True)
        (work / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}\n')  # nothing is pulled
        try:
            yield work
        finally:
            if is_new:
                shutil.rmtree(PARENT, ignore_errors=True)


def _long_step(what: str, env: Mapping[str, str], argv: Sequence[str]) -> None:
    _step(what, argv, BUILD_S, env)


def _step(what: str, argv: Sequence[str], deadline_s: float, env: Mapping[str, str]) -> None:
    """Run a command whose output is shown. Raises ProbeError if it fails or is not done in time."""
    with subprocess.Popen(argv, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            code = process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            raise ProbeError(
                f"image: {what} was not done after {deadline_s:.0f} s; give it a machine with less other work"
            ) from None
        finally:
            _end(process)
    if code:
        raise ProbeError(f"image: {what} ended with exit code {code}; the lines above say why")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process group of a command."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)


def _output(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """Return the output of a short command. Raises ProbeError."""
    late = ProbeError(f"{' '.join(argv)} was not done after {CLOSE_S} s")
    done = run_command(argv, CLOSE_S, late, cwd=ROOT, env=env)
    if done.returncode:
        raise ProbeError(f"{' '.join(argv)} failed: {' '.join(done.stderr.split())[-300:]}")
    return done.stdout


def _say(text: str) -> None:
    sys.stderr.write(f"image: {text}\n")
    sys.stderr.flush()
