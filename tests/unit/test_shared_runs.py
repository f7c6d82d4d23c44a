"""A shared run is skipped where a client cannot be had, and fails where our driver does not compile."""

from __future__ import annotations

import pytest

from probe.errors import ProvisionError
from probe.toolchain.tools import BuildError, ToolError
from tests.support.shared_runs import result_of


def wrapped(cause: ToolError) -> ProvisionError:
    error = ProvisionError("spring 1.0: its driver cannot be had")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("missing", [ProvisionError("no registry"), ToolError("no go"), wrapped(ToolError("no javac"))])
def test_a_client_that_cannot_be_had_is_skipped(missing: Exception) -> None:
    with pytest.raises(pytest.skip.Exception):
        result_of(missing)


@pytest.mark.parametrize("refused", [BuildError("did not build"), wrapped(BuildError("did not compile"))])
def test_a_driver_that_does_not_compile_fails(refused: Exception) -> None:
    with pytest.raises((BuildError, ProvisionError), match=r"did not build|cannot be had"):
        result_of(refused)
