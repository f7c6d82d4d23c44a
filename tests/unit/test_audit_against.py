"""`probe audit --against REF`: what an earlier commit had is accepted, and only what is new counts."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from probe.model import Outcome
from tests.support.command import Done, command
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import publish, settled

GO_MOD = "module example.com/{name}\n\ngo 1.22\n\nrequire github.com/IBM/sarama v{version}\n"
AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *AUTHOR, *words], check=True, capture_output=True)


def service(repository: Path, name: str, version: str = "1.43.2") -> None:
    path = repository / name / "go.mod"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GO_MOD.format(name=name, version=version))


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return evidence of two versions that stop."""
    cells = [settled(replace(CELL, version=version), Outcome.STUCK) for version in ("1.43.2", "1.45.0")]
    return publish(tmp_path_factory.mktemp("evidence") / "evidence.sqlite", *cells)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one service, committed."""
    root = tmp_path / "fleet"
    service(root, "orders")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def audit(evidence: Path, *words: object) -> Done:
    return command("audit", *map(str, words), "--evidence", str(evidence))


def test_what_was_there_before_does_not_fail(repository: Path, evidence: Path) -> None:
    assert audit(evidence, repository).returncode == 1
    done = audit(evidence, repository, "--against", "HEAD")
    assert done.returncode != 1
    assert "HEAD had 1 finding" in done.stderr


def test_what_is_new_fails_alone(repository: Path, evidence: Path) -> None:
    service(repository, "payments")
    done = audit(evidence, repository, "--against", "HEAD")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(": example.com/payments (sarama@1.43.2)")


def test_another_version_of_a_client_is_new(repository: Path, evidence: Path) -> None:
    service(repository, "orders", "1.45.0")
    assert audit(evidence, repository, "--against", "HEAD").returncode == 1


@pytest.mark.parametrize("name", [".", "orders", "orders/go.mod"])
def test_a_path_is_found_however_it_is_named(
    name: str, repository: Path, evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert audit(evidence, name).returncode == 1
    assert audit(evidence, name, "--against", "HEAD").returncode != 1


def test_what_did_not_exist_is_new(repository: Path, evidence: Path) -> None:
    service(repository, "payments")
    done = audit(evidence, repository / "payments", "--against", "HEAD")
    assert done.returncode == 1
    assert "payments did not exist at HEAD: all of it is new" in done.stderr


def test_attributes_of_the_repository_hide_nothing(repository: Path, evidence: Path) -> None:
    (repository / ".gitattributes").write_text("go.mod export-ignore\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    assert audit(evidence, repository, "--against", "HEAD").returncode != 1


def test_bad_input_is_one_line_before_anything_is_read(repository: Path, evidence: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    service(outside, "orders")
    for words, said in (
        ((repository, "--against", "v9"), "has no such commit; name another one"),
        ((repository, "--against", "--help"), "has no such commit"),
        ((outside, "--against", "HEAD"), "lies in no git repository; name a checkout"),
        (("-", "--against", "HEAD"), "standard input has no commit"),
    ):
        done = audit(evidence, *words)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert said in done.stderr


def test_without_git_it_says_so(repository: Path, evidence: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    done = audit(evidence, repository, "--against", "HEAD")
    assert done.returncode == 2
    assert "needs git, which is not installed" in done.stderr
