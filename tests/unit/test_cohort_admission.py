"""Admission of cohorts: one starts while others observe, as long as few enough cells observe."""

from __future__ import annotations

import asyncio

import pytest

from probe.runner.schedule.cohort_admission import CHECK_S, CohortAdmission, CohortSlot
from tests.support import virtual_time

CELLS = 10


async def waits(admission: CohortAdmission) -> asyncio.Task[CohortSlot]:
    """Start to admit a cohort and check that it has to wait."""
    task = asyncio.create_task(admission.enter(CELLS))
    await asyncio.sleep(0.01)
    assert not task.done()
    return task


async def admitted(task: asyncio.Task[CohortSlot]) -> CohortSlot:
    return await asyncio.wait_for(task, 5)


def test_the_next_cohort_waits_until_all_cells_observe_or_end() -> None:
    async def go() -> None:
        admission = CohortAdmission(clusters=3, watching=100)
        first = await admission.enter(CELLS)
        second = await waits(admission)
        for cell in range(CELLS - 1):
            first.downgrade(cell)()
            first.downgrade(cell)()
        await asyncio.sleep(0.01)
        assert not second.done()
        first.ended(CELLS - 1)
        await admitted(second)

    virtual_time.run(go())


@pytest.mark.parametrize("spare", [True, False])
def test_with_too_many_observing_cells_no_cohort_starts(spare: bool) -> None:
    async def go() -> None:
        idle = False
        admission = CohortAdmission(clusters=5, watching=CELLS, spare=lambda: idle)
        for _ in range(2):
            slot = await admission.enter(CELLS)
            for cell in range(CELLS):
                slot.downgrade(cell)()
        third = await waits(admission)
        if spare:
            idle = True
        else:
            for cell in range(CELLS - 1):
                slot.ended(cell)
                slot.ended(cell)
            await asyncio.sleep(0.01)
            assert not third.done()
            slot.ended(CELLS - 1)
        await admitted(third)

    virtual_time.run(go())


def test_a_second_cohort_starts_on_idle_cores_but_no_third(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def go() -> None:
        idle = True
        admission = CohortAdmission(clusters=5, watching=CELLS, spare=lambda: idle)
        await admission.enter(CELLS)
        second = await waits(admission)  # the cores were idle before the first cohort started, which does not count
        idle = False
        monkeypatch.setattr("probe.runner.schedule.cohort_admission.SECOND_START_DELAY_S", 0.0)
        await asyncio.sleep(2 * CHECK_S)
        assert not second.done()
        idle = True
        slot = await admitted(second)
        third = await waits(admission)
        for cell in range(CELLS):
            slot.ended(cell)
        await admitted(third)

    virtual_time.run(go())


def test_cohorts_are_at_most_as_many_as_clusters() -> None:
    async def go() -> None:
        admission = CohortAdmission(clusters=1, watching=CELLS)
        first = await admission.enter(CELLS)
        for cell in range(CELLS):
            first.downgrade(cell)()
        second = await waits(admission)
        first.leave()
        first.leave()
        slot = await admitted(second)
        third = await waits(admission)
        slot.leave()  # left while it starts: its cluster failed to start
        (await admitted(third)).leave()

    virtual_time.run(go())


def test_silent_cohorts_take_their_own_slots_first() -> None:
    async def go() -> None:
        admission = CohortAdmission(clusters=2, watching=100, in_silence=1)
        for silent in (True, False, True):  # the second silent cohort takes a normal slot, as silent ones have only one
            slot = await admission.enter(CELLS, silent=silent)
            for cell in range(CELLS):
                slot.downgrade(cell)()
        another = await waits(admission)
        slot.leave()
        third = await admitted(another)
        assert third is not slot

    virtual_time.run(go())
