"""The wheel and the source archive of the probe, built and installed without a network. Standard library, for run.py.

Both need a folder of wheels: those of look-ups and those of the build, in the versions of uv.lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import tempfile
from pathlib import Path

from probe import __version__
from probe.toolchain.setup_calls import MissingError, SetupError, call, is_offline, take
from probe.toolchain.tools import cache_root

WHEELS = "wheels"
"""Name of the link, in the environment, to the folder of wheels."""
NO_DOWNLOADS = {"UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": ""}


def fill(root: Path, uv: str, python: str) -> Path:
    """Fill the folder of wheels (5 MB), if it is not there, and return it. SetupError if a step fails.

    It is in the cache and named by its requirements, so checkouts with the same ones share it.
    """
    export = [uv, "export", "--frozen", "--quiet", "--no-default-groups", "--group", "build", "--project", str(root)]
    try:
        locked = call([*export, "--no-emit-project", "--no-header", "--no-annotate"], "run `uv lock` and this again")
    except SetupError:
        if is_offline():
            raise MissingError("the wheels of look-ups and of the build are not known without uv") from None
        raise
    key = f"{sys.implementation.cache_tag}-{hashlib.sha256(locked.encode()).hexdigest()[:12]}"
    folder = cache_root() / "lookup-wheels" / key
    if not folder.exists():
        from probe.files.atomic_writes import filling  # noqa: PLC0415  # run.py starts faster without ctypes

        take("no wheels of look-ups and of the build", "those of uv.lock from the Python package index (5 MB)")
        folder.parent.mkdir(exist_ok=True)
        with filling(folder) as target:
            _download(uv, python, locked, target)
    return folder


def _download(uv: str, python: str, locked: str, target: Path) -> None:
    pip = [uv, "tool", "run", "--quiet", "--python", python, "pip", "download", "--quiet", "--no-deps"]
    with tempfile.TemporaryDirectory() as made:
        pins = Path(made) / "requirements.txt"
        pins.write_text(locked)
        only = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(pins), "--dest", str(target)]
        call([*pip, *only], "check that the package index is reachable, and run this again", env=NO_DOWNLOADS)


def build_both(root: Path, uv: str, python: str, folder: Path) -> list[Path]:
    """Build both from a checkout into a folder, and return their paths. SetupError if that fails."""
    wheels = fill(root, uv, python)
    local = ["--offline", "--no-index", "--find-links", str(wheels)]
    argv = [uv, "build", "--quiet", "--python", python, *local, "--out-dir", str(folder), str(root)]
    call(argv, "the folder cannot be written, or a file that pyproject.toml names is missing", env=NO_DOWNLOADS)
    return sorted(folder.glob(f"kafka_metadata_probe-{__version__}[-.]*"))


def link(root: Path, folder: Path | None) -> None:
    """Link to a filled folder from a checkout's environment; None removes a link, which may be of another uv.lock."""
    place = root / ".venv" / WHEELS
    place.unlink(missing_ok=True)
    if folder is not None:
        with contextlib.suppress(FileExistsError):  # another set-up of this checkout made it
            place.symlink_to(folder)
