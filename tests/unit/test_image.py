"""`run.py image`: which engine builds the image, and what it is given. No image is built here."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from probe.cli.image import main
from probe.errors import ProbeError
from probe.toolchain import image, image_bases
from probe.toolchain.image_engines import (
    BUILDAH,
    CERTIFICATES,
    Buildah,
    Config,
    ContainerEngine,
    Machine,
    base_images,
    choose,
    read_config,
    scheduled,
)
from tests.support.deadlines import LONGEST_S

DOCKERFILE = (Path(__file__).parents[2] / "docker" / "Dockerfile").read_text()
READY = {"docker": "", "podman": ""}
SILENT = {"docker": "Cannot connect to the daemon"}
ENTRYPOINT = ("tini", "--", "probe")
CONFIG = Config(ENTRYPOINT, ("run", "--time-budget", "3300", "--publish"), "10001")


@pytest.mark.parametrize(
    ("machine", "engine"),
    [
        (Machine(READY, is_root=False, missing=[]), "docker"),
        (Machine({"podman": ""}, is_root=True, missing=[]), "podman"),
        (Machine({**SILENT, "podman": ""}, is_root=True, missing=[]), "podman"),
        (Machine(SILENT, is_root=True, missing=[]), BUILDAH),
        (Machine({}, is_root=True, missing=[]), BUILDAH),
    ],
)
def test_an_engine_that_answers_comes_before_buildah(machine: Machine, engine: str) -> None:
    assert choose(machine) == engine


@pytest.mark.parametrize(
    ("machine", "line"),
    [
        (
            Machine({}, is_root=False, missing=[]),
            "no image can be built here: docker is not on this machine, podman is not on this machine, buildah from "
            "Debian's packages needs root; start docker or podman, or run this as root on Debian",
        ),
        (
            Machine(SILENT, is_root=True, missing=["apt-get", "dpkg-deb"]),
            "no image can be built here: docker does not answer (Cannot connect to the daemon), podman is not on this "
            "machine, buildah from Debian's packages needs apt-get and dpkg-deb; start docker or podman, or run this "
            "as root on Debian",
        ),
    ],
)
def test_a_machine_without_any_is_one_line_with_all_that_is_missing(machine: Machine, line: str) -> None:
    with pytest.raises(ProbeError) as error:
        choose(machine)
    assert str(error.value) == line


def test_the_budget_of_the_schedule_is_replaced_and_options_are_added() -> None:
    assert scheduled(CONFIG, 60, ["--client", "sarama"]) == [
        *ENTRYPOINT,
        *("run", "--time-budget", "60", "--publish", "--client", "sarama"),
    ]


@pytest.mark.parametrize("command", [("run", "--publish"), ("run", "--time-budget"), ()])
def test_a_command_without_a_budget_is_refused(command: tuple[str, ...]) -> None:
    with pytest.raises(ProbeError, match=r"no --time-budget; docker/Dockerfile needs the schedule's command"):
        scheduled(Config(ENTRYPOINT, command, "10001"), 60, [])


def test_the_configuration_names_the_user_by_number() -> None:
    found = {"Entrypoint": list(ENTRYPOINT), "Cmd": list(CONFIG.command), "User": "10001:10001", "Env": []}
    assert read_config(json.dumps(found), ()) == CONFIG
    assert read_config(json.dumps({"OCIv1": {"config": found}}), Buildah([], "", "", None).config_at) == CONFIG
    for user in ("", "0:0", "root", None):
        with pytest.raises(ProbeError, match="the image runs as root"):
            read_config(json.dumps({**found, "User": user}), ())


def test_the_base_images_are_those_of_the_dockerfile() -> None:
    assert base_images("FROM a:1 AS one\n# FROM no\nFROM a:1 as two\nFROM b:2\nFROM one AS three\n") == ["a:1", "b:2"]
    known = {"golang", "node", "python"}
    assert {base.partition(":")[0] for base in base_images(DOCKERFILE)} == known, "image_bases.make does not know it"


def test_an_unknown_base_image_is_refused_by_name(tmp_path: Path) -> None:
    engine = Buildah(["buildah"], str(tmp_path), "name", None)
    with pytest.raises(ProbeError, match=r"starts from ubuntu:24\.04, which is not made here"):
        image_bases.make("ubuntu:24.04", engine, tmp_path, lambda argv: pytest.fail(f"{argv} was started"))


def test_pythons_base_image_is_the_debian_release_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_bases, "program", lambda name: (name, None))
    steps: list[list[str]] = []
    engine = Buildah(["buildah"], str(tmp_path), "name", None)
    image_bases.make("python:3.11-slim-bookworm", engine, tmp_path, lambda argv: steps.append(list(argv)))
    made, added = steps
    assert made[made.index("mmdebstrap") :][-2:] == ["bookworm", str(tmp_path / "bases" / "python" / "root.tar")]
    assert added[added.index("--tag") + 1] == "docker.io/library/python:3.11-slim-bookworm"
    assert not (tmp_path / "bases" / "python").exists()


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_a_container_engine_is_restricted_and_leaves_nothing(name: str) -> None:
    engine = ContainerEngine(name, "probe-7")
    run = engine.run(["tini", "--", "probe", "run"])
    assert run[:5] == [name, "run", "--rm", "--name", "probe-7"]
    assert run[-5:] == ["tini", "probe-7", "--", "probe", "run"]
    assert "probe-7-results:/results" in run
    assert {"ALL", "no-new-privileges"} < set(run)
    made = {command[-1] for command in engine.open("10001")}
    removed = {word for command in engine.close() for word in command}
    assert made == {"probe-7-results", "probe-7-cache"}
    assert made | {"probe-7", "rm", "rmi"} < removed


@pytest.mark.parametrize("certificates", [None, "/somewhere/bundle.pem"])
def test_buildah_pulls_nothing_and_is_given_the_certificates_of_the_machine(certificates: str | None) -> None:
    engine = Buildah(["buildah"], "/work", "probe-7", certificates)
    build, run = engine.build(), engine.run(["probe", "run"])
    assert "--pull-never" in build
    for argv in (build, run):
        assert argv[:7] == ["buildah", "--storage-driver", "vfs", "--root", "/work/storage", "--runroot", "/work/state"]
        assert (f"{certificates}:{CERTIFICATES}:ro" in argv) is bool(certificates)
    assert (f"SSL_CERT_FILE={CERTIFICATES}" in build) is bool(certificates)
    assert run[-4:] == ["probe-7", "--", "probe", "run"]
    assert engine.open("10001")[0] == ["chown", "10001", "/work/volumes/results", "/work/volumes/cache"]


def test_the_certificates_are_those_of_the_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first.pem", tmp_path / "second.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(first))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(second))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    for path in (second, first):
        path.touch()
        assert image.certificates() == str(path)
    for path in (first, second):
        path.unlink()
    (tmp_path / "ca-certificates.crt").touch()
    assert image.certificates() in {str(tmp_path / "ca-certificates.crt"), image.ssl.get_default_verify_paths().cafile}


def check(results: Path, user: int, runs: int) -> subprocess.CompletedProcess[str]:
    """Run the script that looks at the volume, on another folder."""
    argv = ["/bin/sh", "-c", image.CHECK.replace("/results", str(results)), "sh", str(user), str(runs)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_the_volume_is_checked_for_what_was_published(tmp_path: Path) -> None:
    user = tmp_path.stat().st_uid
    (tmp_path / "run_id=1").mkdir()
    (tmp_path / "site").mkdir()
    assert check(tmp_path, user, 1).stderr == "image: the volume has no matrix.csv\n"
    (tmp_path / "matrix.csv").write_text("head\nrow\n")
    assert check(tmp_path, user, 1).stderr == "image: the volume has no site/index.html\n"
    (tmp_path / "site" / "index.html").write_text("<html>")
    assert check(tmp_path, user + 1, 1).stderr == f"image: the user is {user} and not {user + 1}\n"
    assert check(tmp_path, user, 2).stderr == "image: the volume has 1 runs and not 2\n"
    done = check(tmp_path, user, 1)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 runs; matrix.csv with 2 lines; site with 1 files" in done.stdout


REMOVED = ["rm", "volume", "rmi"]
DOCKER = """#!/bin/sh
echo "$@" >> {log}
case "$1 $2" in
  "image inspect") echo '{{"User": "10001", "Entrypoint": ["probe"], "Cmd": ["run", "--time-budget", "9"]}}' ;;
  "{fails} "*) exec {action} ;;
esac
"""


def build_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str, action: str) -> list[str]:
    """Build the image with a docker whose subcommand `fails` does something else; return its command lines."""
    (tmp_path / "docker").write_text(DOCKER.format(log=tmp_path / "log", fails=fails, action=action))
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(image, "OVER_S", 1)
    monkeypatch.setattr(image, "GRACE_S", 1)
    monkeypatch.setattr(sys, "argv", ["run.py image", "--budget", "0", "--client", "sarama"])
    main()
    return (tmp_path / "log").read_text().splitlines()


def test_the_schedule_runs_twice_and_everything_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = build_with(tmp_path, monkeypatch, "nothing", "true")
    assert len([line for line in lines if line.endswith("run --time-budget 0 --client sarama")]) == 2
    assert [line.strip() for line in lines if "sh 10001" in line] == ["sh 10001 1", "sh 10001 2"]
    assert [line.split()[0] for line in lines[-3:]] == REMOVED


@pytest.mark.parametrize(
    ("fails", "action", "line"),
    [
        ("build", "false", "ended with exit code 1; the lines above say why"),
        ("run", "sleep 60", "was not done after 1 s"),
    ],
)
def test_a_step_that_fails_ends_in_one_line_with_everything_removed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fails: str,
    action: str,
    line: str,
) -> None:
    with pytest.raises(SystemExit):
        build_with(tmp_path, monkeypatch, fails, action)
    assert line in capsys.readouterr().err
    lines = (tmp_path / "log").read_text().splitlines()
    assert [words.split()[0] for words in lines[-3:]] == REMOVED


def test_a_signal_ends_what_runs_and_removes_everything(tmp_path: Path) -> None:
    (tmp_path / "docker").write_text(DOCKER.format(log=tmp_path / "log", fails="run", action="sleep 60.125"))
    (tmp_path / "docker").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    argv = [sys.executable, "-m", "probe.cli.image"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=env) as command:
        deadline = time.monotonic() + LONGEST_S
        while not (children := sleeping()) and time.monotonic() < deadline:
            time.sleep(0.05)
        command.send_signal(signal.SIGTERM)
        _, errors = command.communicate(timeout=LONGEST_S)
    assert children
    assert sleeping() == []
    assert (command.returncode, errors.splitlines()[-1]) == (143, "probe: ended by a signal; everything is removed")
    assert [words.split()[0] for words in (tmp_path / "log").read_text().splitlines()[-3:]] == REMOVED


def sleeping() -> list[Path]:
    """Return the processes that run the stub's sleep."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [path] if path.read_bytes() == b"sleep\x0060.125\x00" else []
    return found
