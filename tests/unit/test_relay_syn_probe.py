"""Connection attempts as the kernel lists them."""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from collections.abc import Iterator

import pytest

from probe.errors import RelayError
from probe.relay import syn_probe
from probe.relay.syn_probe import Attempts
from tests.support.deadlines import LONGEST_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists connections that are being made")


@contextlib.contextmanager
def full_port() -> Iterator[int]:
    """Yield a port with a full queue: further connections wait for an answer to their SYN."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        stack.enter_context(socket.create_connection(server.getsockname()))
        yield server.getsockname()[1]


@contextlib.contextmanager
def caller(family: socket.AddressFamily, port: int) -> Iterator[int]:
    """Try to connect and yield the local port."""
    host = "127.0.0.1" if family is socket.AF_INET else "::ffff:127.0.0.1"
    with socket.socket(family) as client:
        client.setblocking(False)
        client.connect_ex((host, port))
        yield client.getsockname()[1]


def attempts_at(port: int, local: int) -> bool:
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        if (local, port) in Attempts().now():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_an_unanswered_attempt_is_listed_while_it_lasts(family: socket.AddressFamily) -> None:
    with full_port() as port:
        assert not [asked for _, asked in Attempts().now() if asked == port]
        with caller(family, port) as local:
            assert attempts_at(port, local)
        assert (local, port) not in Attempts().now()


def test_attempts_of_the_probe_itself_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syn_probe, "FRESH_S", 0.0)
    with full_port() as port, caller(socket.AF_INET, port) as local:
        assert attempts_at(port, local)
        assert syn_probe.has_attempts(port, ())
        assert not syn_probe.has_attempts(port, {local})
        assert not syn_probe.has_attempts(port + 1, ())


@pytest.mark.parametrize("name", ["OF_TCP", "SOCK_DIAG"])
def test_a_kernel_without_an_answer_is_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syn_probe, name, 31)  # a query, or a protocol, that no kernel knows
    with pytest.raises((OSError, RelayError), match=r"."):
        Attempts().now()
