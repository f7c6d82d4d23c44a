"""Environment of a trial: where clients get tokens and their certificate, and what the fault does there."""

from __future__ import annotations

import asyncio
import contextlib
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.access import Access
from probe.model.security import Security
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.own_certificate import CertificateFile, certificate_of
from probe.scenarios.own_profiles import CERTIFICATES, TOKENS
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.handshakes import RenewClientCertificate
from probe.scenarios.steps.logins import CutAllConnections, LeaveTokenServer
from probe.scenarios.steps.step import Step
from tests.support.real_cells import planned

STEADY = ("sarama@1.43.3", "steady", "producer")
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


RENEWED = "the renewed key and certificate"


def own_certificate(tmp_path: Path, *steps: Step) -> contextlib.AbstractContextManager[CertificateFile | None]:
    access = Access(
        security=Security.parse(CERTIFICATES),
        key="the run's ",
        certificate="certificate",
        certificate_file=str(tmp_path / "client.pem"),
        renewed=RENEWED,
    )
    return certificate_of(access, RoleVariant(roles=(), expectation=planned(*STEADY).expectation, steps=steps))


def test_a_certificate_is_renewed_with_the_fault_in_a_file_of_the_trial_that_is_gone_with_it(tmp_path: Path) -> None:
    with own_certificate(tmp_path, RenewClientCertificate()) as certificate:
        assert certificate is not None
        environment = replace(Recorded(by_tokens=False).environment(), certificate=certificate)
        access = environment.access(planned(*STEADY))
        assert access is not None
        assert Path(access.certificate_file) == certificate.path
        asyncio.run(environment.inject((CutAllConnections(),), None))
        assert certificate.path.read_text() == "the run's certificate"
        asyncio.run(environment.inject((RenewClientCertificate(),), None))
        assert certificate.path.read_text() == RENEWED
        assert stat.S_IMODE(certificate.path.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
        asyncio.run(environment.revert())
        assert certificate.path.read_text() == RENEWED
    assert not list(tmp_path.iterdir())


def test_trials_that_renew_nothing_share_the_runs_file(tmp_path: Path) -> None:
    with own_certificate(tmp_path, CutAllConnections()) as certificate:
        assert certificate is None


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
    item = planned(*STEADY)
    access = Recorded(by_tokens=by_tokens).environment().access(item)
    assert access is not None
    assert access.token_endpoint == endpoint
