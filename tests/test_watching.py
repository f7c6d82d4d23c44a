"""When a running trial is looked at again."""

from __future__ import annotations

import pytest

from probe.runner.watching import NAP_S, nap_s


@pytest.mark.parametrize(
    ("elapsed_ms", "heal_ms", "expected"),
    [
        (0, None, NAP_S),
        (0, 3000, NAP_S),
        (2800, 3000, 0.2),  # a look in 0.4 s would hold the fault for 3.2 s
        (3000, 3000, 0.0),
        (3001, 3000, 0.0),
        (60_000, None, NAP_S),
        (60_000, 60_100, 0.1),
    ],
)
def test_a_fault_is_mended_on_time(elapsed_ms: int, heal_ms: int | None, expected: float) -> None:
    assert nap_s(elapsed_ms, heal_ms) == pytest.approx(expected)
