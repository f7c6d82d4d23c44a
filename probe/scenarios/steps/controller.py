"""Steps on the controller, which role admin asks whether topics can be created."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveController:
    """Another broker becomes the controller; every other one refuses requests for it (NOT_CONTROLLER)."""

    named_ms: int = 0
    """Time until brokers name the new one and it serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseController:
    """There is no controller until reverted: brokers keep the requests that they forward to it."""


ControllerStep = MoveController | LoseController
