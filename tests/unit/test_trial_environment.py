"""Environment of a trial whose clients log in by tokens: their endpoint, and the token server in the fault."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from probe.access import Access
from probe.model.security import Security
from probe.runner.trial.environment import TrialEnvironment
from probe.scenarios.own_profiles import TOKENS
from probe.scenarios.steps.logins import CutAllConnections, LeaveTokenServer
from probe.scenarios.steps.step import Step
from tests.support.real_cells import planned

URL = "http://127.0.0.1:1/token"
ACCESS = Access(security=Security.parse(TOKENS), user="probe")


class Recorded:
    """Calls of the cluster and of the token server, in order."""

    def __init__(self, *, by_tokens: bool) -> None:
        self.asked: list[str] = []
        note = self.asked.append
        server = SimpleNamespace(url=URL, leave=lambda: note("leave"), come_back=lambda: note("come back"))
        self.tokens: Any = server if by_tokens else None

    async def inject(self, steps: tuple[Step, ...], _: int | None) -> None:
        self.asked.append(f"inject {len(steps)}")

    async def revert(self) -> None:
        self.asked.append("revert")

    def environment(self) -> TrialEnvironment:
        some: Any = SimpleNamespace(access=lambda *_: ACCESS)
        cluster: Any = self
        return TrialEnvironment(cluster, some, some, some, some, some, some, alone=False, tokens=self.tokens)


@pytest.mark.parametrize(
    ("step", "by_tokens", "asked"),
    [
        (LeaveTokenServer(), True, ["leave", "inject 1", "come back", "revert"]),
        (CutAllConnections(), True, ["inject 1", "come back", "revert"]),
        (CutAllConnections(), False, ["inject 1", "revert"]),
    ],
)
def test_the_token_server_leaves_with_the_fault_and_is_back_with_its_end(
    step: Step, by_tokens: bool, asked: list[str]
) -> None:
    recorded = Recorded(by_tokens=by_tokens)

    async def play() -> None:
        environment = recorded.environment()
        await environment.inject((step,), None)
        await environment.revert()

    asyncio.run(play())
    assert recorded.asked == asked


@pytest.mark.parametrize(("by_tokens", "endpoint"), [(True, URL), (False, "")])
def test_clients_learn_where_tokens_are_given(by_tokens: bool, endpoint: str) -> None:
    item = planned("sarama@1.43.3", "steady", "producer")
    access = Recorded(by_tokens=by_tokens).environment().access(item)
    assert access is not None
    assert access.token_endpoint == endpoint
