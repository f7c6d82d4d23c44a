"""The file of evidence of a checkout, built from its text once per state of the text.

`python -m probe.evidence.checkout_build` builds it, as the first look-up does; with a file name it writes that file.
It uses the standard library alone, since a wheel is built in an environment without the look-ups' packages.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from probe.errors import reason_of
from probe.files.atomic_writes import write_file
from probe.files.digests import digest_path
from probe.files.shipped_evidence import FOLDER, PUBLISHED, TEXT, named_file
from probe.toolchain.tools import cache_root

_PROBE = Path(__file__).resolve().parents[1]
SOURCES = (
    *((_PROBE / folder, "*.py") for folder in ("evidence", "verdict", "model")),
    *((_PROBE / "model", f"*.{kind}") for kind in ("tsv", "toml")),
    *((_PROBE / "cells", f"{name}.py") for name in ("aggregate", "cell_harm", "losses", "stored_trials")),
)
"""The parts of the program that decide what a file has: its tables, the sentences of verdicts, what cells are worth."""
KEPT = 4
"""Built files that stay in the cache, those that were used last: one of each checkout that somebody works in."""
IN_USE_S = 600
"""Time in seconds for which a file that was looked up may be about to be opened. Such a file stays, too."""
_STATE, _BUILT, _ENDING = "state-", "built-", ".sqlite"


def located() -> Path:
    """Return the file of evidence that ships: the package's, or that of this checkout, which is built if need be.

    The file may not exist. EvidenceError if it cannot be built.
    """
    packaged = named_file() or FOLDER / PUBLISHED
    return packaged if named_file() or packaged.exists() or not TEXT.is_dir() else built(TEXT)


def built(folder: Path) -> Path:
    """Return the file built from a folder of text: in the cache, under the digest of text and program. EvidenceError.

    What was built for a state of these files (names, sizes and times) is found without reading them.
    """
    kept = cache_root() / "evidence"
    files = sorted(path for place, kind in ((folder, "*.tsv"), *SOURCES) for path in place.rglob(kind))
    try:
        known = kept / f"{_STATE}{_state(files)}"
        if known.exists() and (path := _path(kept, known.read_text(encoding="ascii"))).exists():
            with suppress(OSError):  # a cache that cannot be written serves what it has
                os.utime(known)
            return path
        digest = _digest(files)
        path = _path(kept, digest)
        if not path.exists():
            write_built(folder, path)
        write_file(known, digest)
        _remove_old(kept, digest)
    except OSError as error:
        from probe.evidence.schema import EvidenceError  # noqa: PLC0415  # loads the model, which `--version` has no use for

        remedy = "set $PROBE_CACHE to a folder that can be written"
        raise EvidenceError(f"the evidence cannot be built: {reason_of(error)}; {remedy}") from None
    return path


def write_built(folder: Path, path: Path) -> None:
    """Build the file from a folder of text, with its digest beside it. EvidenceError if that fails."""
    from probe.evidence.text_files import read_folder  # noqa: PLC0415  # look-ups find it built
    from probe.evidence.writer import put, whole  # noqa: PLC0415

    put(path, whole(read_folder(folder), rated=True), digest=True)


def _remove_old(kept: Path, digest: str) -> None:
    """Remove built files that were used long ago, and what is known of their states; never the one with `digest`.

    The time of a state is that of its last use: a built file that is touched would look altered to its readers.
    """
    states = {path: _used(path) for path in kept.glob(f"{_STATE}*")}
    last = {digest: time.time()}
    for name, used in states.values():
        last[name] = max(last.get(name, 0.0), used)
    files = {path.name.removeprefix(_BUILT).removesuffix(_ENDING): path for path in kept.glob(f"{_BUILT}*{_ENDING}")}
    ordered = sorted(files, key=lambda name: last.get(name, 0.0), reverse=True)
    since = time.time() - IN_USE_S
    stay = {name for nth, name in enumerate(ordered) if nth < KEPT or last.get(name, 0.0) > since}
    gone = [path for path, (name, _) in states.items() if name not in stay]
    for path in [*gone, *(path for name, path in files.items() if name not in stay)]:
        for one in (path, digest_path(path)):
            with suppress(OSError):  # somebody else removed it, or it belongs to another user
                one.unlink(missing_ok=True)


def _used(state: Path) -> tuple[str, float]:
    """Return the digest that a state names, and when it was used last; nothing for one that was removed meanwhile."""
    try:
        return state.read_text(encoding="ascii"), state.stat().st_mtime
    except (OSError, ValueError):
        return "", 0.0


def _state(files: list[Path]) -> str:
    states = [(str(path), path.stat()) for path in files]
    text = json.dumps([(name, state.st_size, state.st_mtime_ns) for name, state in states])
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(files: list[Path]) -> str:
    found = hashlib.sha256()
    for path in files:
        found.update(f"{path.parent.name}/{path.name}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def _path(kept: Path, digest: str) -> Path:
    return kept / f"{_BUILT}{digest}{_ENDING}"


if __name__ == "__main__":
    if sys.argv[1:]:
        write_built(TEXT, Path(sys.argv[1]))
    else:
        located()
