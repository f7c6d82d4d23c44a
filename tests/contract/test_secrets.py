"""Secrets of a run: they are in no result, capture, output or command line."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from probe.run_credentials import MARK, TOKEN_MARK
from probe.store import histories, runs

pytestmark = pytest.mark.real
SAMPLE_S = 0.25
SECRETS = (MARK.encode(), TOKEN_MARK.encode())


def has_secret(data: bytes) -> bool:
    """Return whether there is a secret text or a token."""
    return any(secret in data for secret in SECRETS)


class CommandLines:
    """Looks at the command lines and environments of this machine's processes until its end."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.looks = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> CommandLines:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            self.looks += 1
            for process in Path("/proc").iterdir():
                for name in ("cmdline", "environ") if process.name.isdigit() else ():
                    with contextlib.suppress(OSError):
                        if has_secret((process / name).read_bytes()):
                            self.found.add(f"{process.name} {name}")


@pytest.mark.parametrize(
    ("client", "security"),
    [
        ("kafka-python@3.0.12", "SASL_SSL/SCRAM-SHA-512"),
        ("librdkafka@2.16.0", "SASL_SSL/OAUTHBEARER"),
        ("java@4.4.0", "SSL/CLIENT-AUTH"),
    ],
)
def test_no_secret_leaves_the_run(tmp_path: Path, client: str, security: str) -> None:
    results, temporary = tmp_path / "results", tmp_path / "temporary"
    temporary.mkdir()
    program = Path(sys.executable).with_name("probe")
    argv = [str(program), "run", "--client", client, "--role", "producer"]
    argv += ["--scenario", "steady", "--capture", "--security", security, "--results", str(results)]
    with CommandLines() as lines:
        environment = {**os.environ, "TMPDIR": str(temporary)}
        done = subprocess.run(argv, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert not has_secret(done.stdout + done.stderr)
    assert lines.looks > 0
    assert not lines.found
    files = [file for file in results.rglob("*") if file.is_file()]
    assert any(file.suffix == ".pcapng" for file in files)
    assert not [file for file in files if has_secret(file.read_bytes()) or b"PRIVATE KEY" in file.read_bytes()]
    # tables are compressed, so their bytes say nothing
    (run,) = runs(str(results))
    stored = [repr(history) for history in histories(str(results), run.run_id)]
    assert stored
    assert f"security={security}" in stored[0]
    assert not [text for text in stored if has_secret(text.encode()) or "BEGIN" in text]
    assert not list(temporary.rglob("*.pem"))
