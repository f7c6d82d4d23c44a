"""Write the checked-in gRPC stubs: `python proto/generate.py`.

The Go stubs need protoc-gen-go and protoc-gen-go-grpc on PATH, those of the Rust drivers protoc-gen-prost.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHON = (
    ("probe/driver_contract", "driver.proto"),
    ("probe/engines/embedded/rpc", "cluster.proto"),
)
GO = (
    ("driver.proto", "go_shim/internal/driverpb"),
    ("cluster.proto", "go_shim/clusterpb"),
)

RUST = "clients/rust/driver_runtime/src/contract.pb.rs"


def python_stubs(out: Path) -> None:
    """Write Python stubs with their type stubs below `out`."""
    for package, name in PYTHON:
        flags = ("--python_out", "--grpc_python_out", "--mypy_out", "--mypy_grpc_out")
        _run(f"-I{package}={HERE}", *(f"{flag}={out}" for flag in flags), f"{package}/{name}")


def go_stubs(out: Path) -> None:
    """Write Go stubs below `out`."""
    for name, package in GO:
        target = out / package
        target.mkdir(parents=True, exist_ok=True)
        flags = [f"--go_out={target}", "--go_opt=paths=source_relative"]
        flags += [f"--go-grpc_out={target}", "--go-grpc_opt=paths=source_relative"]
        _run(f"-I{HERE}", *flags, name)


def rust_stubs(out: Path) -> None:
    """Write the messages for Rust drivers; the one call is made without a stub."""
    target = out / RUST
    with tempfile.TemporaryDirectory() as scratch:
        _run(f"-I{HERE}", f"--prost_out={scratch}", "driver.proto")
        (made,) = Path(scratch).rglob("*.rs")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)


def _run(*arguments: str) -> None:
    if code := protoc.main(["protoc", *arguments]):
        sys.exit(code)


if __name__ == "__main__":
    python_stubs(ROOT)
    if shutil.which("protoc-gen-go") and shutil.which("protoc-gen-go-grpc"):
        go_stubs(ROOT)
    if shutil.which("protoc-gen-prost"):
        rust_stubs(ROOT)
