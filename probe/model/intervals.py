"""Wilson's interval of a rate, which stays within 0 and 1 and is suitable for few trials (Wilson 1927)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Z_95 = 1.959963984540054
"""Quantile of the normal distribution, two-sided 95 %."""
Z_90 = 1.6448536269514722
"""Quantile of the normal distribution, two-sided 90 %."""


def wilson(hits: Any, trials: Any, z: float, sqrt: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the ends of the interval of the rate `hits / trials`, which may leave 0 to 1 by rounding.

    Counts are numbers with `math.sqrt`, or columns of a table with the table's own square root.
    """
    share = hits / trials
    centre = share + z * z / (2 * trials)
    half = sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) * z
    whole = 1 + z * z / trials
    return (centre - half) / whole, (centre + half) / whole
