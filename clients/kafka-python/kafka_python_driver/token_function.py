"""The application's token function: each log-in asks for a new token."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from driver_runtime.tokens import fetch_token

from probe.driver_contract import driver_pb2 as pb

MODULES = ("kafka.net.sasl.oauth", "kafka.sasl.oauth", "kafka.oauth.abstract")
"""Modules of the class that a token function must extend: of 3.x, of 2.1 to 2.3, and of older versions."""


def token_provider(asked: pb.Security) -> Any:
    """Return a token function with the credentials of `asked`. Raises ImportError where the library knows none."""

    class TokenFunction(_base()):  # type: ignore[misc]  # another class in each version
        def token(self) -> str:
            return fetch_token(asked)

    return TokenFunction()


def _base() -> Any:
    for name in MODULES:
        try:
            return import_module(name).AbstractTokenProvider
        except ImportError:
            continue
    raise ImportError(f"none of {', '.join(MODULES)} is there")
