"""The deadline of whatever a test waits for."""

from __future__ import annotations

LONGEST_S = 240.0
"""It ends what hangs, and asks nothing of the machine's speed, in seconds."""
