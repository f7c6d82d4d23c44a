"""Java drivers without a registry and without compilers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probe.drivers.sources import jar
from probe.toolchain import maven_jars


def without_registry(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the registry by empty jars, and the compilers; return the list of fetched and compiled items."""
    done: list[str] = []

    def fetch(coordinates: Any, cache: Path, **_: Any) -> dict[str, Path]:
        done.extend(coordinates)
        return {name: cache / f"{name.split(':')[1]}.jar" for name in coordinates}

    def compile_java(sources: Any, out: Path, **_: Any) -> None:
        done.append(f"compiled {len(sources)}")
        (out / "Driver.class").write_bytes(b"")

    monkeypatch.setattr(maven_jars, "fetch", fetch)
    monkeypatch.setattr(maven_jars, "digest", lambda _: "sha256:seen")
    monkeypatch.setattr(jar, "compile_java", compile_java)
    monkeypatch.setattr(jar, "_generate", lambda *_: None)
    monkeypatch.setattr(jar, "java", lambda: Path("/somewhere/java"))
    return done
