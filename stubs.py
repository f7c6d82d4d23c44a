"""Regenerate the checked-in gRPC stubs: `python stubs.py`. Go's need protoc-gen-go and protoc-gen-go-grpc on PATH."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent
PYTHON = (
    ("clients", "probe/drivers/rpc", "driver.proto"),
    ("go_shim/clusterpb", "probe/engines/rpc", "cluster.proto"),
)
GO = (
    ("clients", "driver.proto", "go_shim/internal/driverpb"),
    ("go_shim/clusterpb", "cluster.proto", "go_shim/clusterpb"),
)


def python_stubs(out: Path) -> None:
    """Write Python stubs with their type stubs below `out`."""
    for source, package, name in PYTHON:
        flags = ("--python_out", "--grpc_python_out", "--mypy_out", "--mypy_grpc_out")
        _run(f"-I{package}={ROOT / source}", *(f"{flag}={out}" for flag in flags), f"{package}/{name}")


def go_stubs(out: Path) -> None:
    """Write Go stubs below `out`."""
    for source, name, package in GO:
        target = out / package
        target.mkdir(parents=True, exist_ok=True)
        flags = [f"--go_out={target}", "--go_opt=paths=source_relative"]
        flags += [f"--go-grpc_out={target}", "--go-grpc_opt=paths=source_relative"]
        _run(f"-I{ROOT / source}", *flags, name)


def _run(*arguments: str) -> None:
    if code := protoc.main(["protoc", *arguments]):
        sys.exit(code)


if __name__ == "__main__":
    python_stubs(ROOT)
    if shutil.which("protoc-gen-go") and shutil.which("protoc-gen-go-grpc"):
        go_stubs(ROOT)
