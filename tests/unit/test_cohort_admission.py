"""How many cohorts are there at once: one starts, others watch while their cells are not too many."""

from __future__ import annotations

import asyncio

import pytest

from probe.runner.schedule.cohort_admission import CHECK_S, CohortAdmission, CohortSlot

CELLS = 10


async def waits(admission: CohortAdmission) -> asyncio.Task[CohortSlot]:
    """Let a cohort come to a place where there is no room for it."""
    task = asyncio.create_task(admission.enter(CELLS))
    await asyncio.sleep(0.01)
    assert not task.done()
    return task


async def comes_in(task: asyncio.Task[CohortSlot]) -> CohortSlot:
    return await asyncio.wait_for(task, 5)


def test_one_is_busy_until_all_its_cells_rest_or_have_ended() -> None:
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
        await comes_in(second)

    asyncio.run(go())


@pytest.mark.parametrize("spare", [True, False])
def test_where_too_many_cells_still_watch_nobody_starts_until_some_have_ended_or_cores_are_idle(spare: bool) -> None:
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
        await comes_in(third)

    asyncio.run(go())


def test_a_second_one_is_busy_beside_the_first_where_cores_are_idle_some_time_after_that_came_in_and_no_third(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def go() -> None:
        idle = True
        admission = CohortAdmission(clusters=5, watching=CELLS, spare=lambda: idle)
        await admission.enter(CELLS)
        second = await waits(admission)  # what was idle was so before the first one came in
        idle = False
        monkeypatch.setattr("probe.runner.schedule.cohort_admission.SECOND_START_DELAY_S", 0.0)
        await asyncio.sleep(2 * CHECK_S)
        assert not second.done()
        idle = True
        slot = await comes_in(second)
        third = await waits(admission)
        for cell in range(CELLS):
            slot.ended(cell)
        await comes_in(third)

    asyncio.run(go())


def test_there_are_no_more_of_them_than_clusters_and_whoever_leaves_makes_room_for_all_its_cells() -> None:
    async def go() -> None:
        admission = CohortAdmission(clusters=1, watching=CELLS)
        first = await admission.enter(CELLS)
        for cell in range(CELLS):
            first.downgrade(cell)()
        second = await waits(admission)
        first.leave()
        first.leave()
        slot = await comes_in(second)
        third = await waits(admission)
        slot.leave()  # still busy: its cluster did not start
        (await comes_in(third)).leave()

    asyncio.run(go())


def test_those_that_watch_silence_take_no_place_of_others_as_long_as_there_are_places_for_them() -> None:
    async def go() -> None:
        admission = CohortAdmission(clusters=2, watching=100, in_silence=1)
        for silent in (True, False, True):  # the second silence takes a place, as there is but one for them
            slot = await admission.enter(CELLS, silent=silent)
            for cell in range(CELLS):
                slot.downgrade(cell)()
        another = await waits(admission)
        slot.leave()
        third = await comes_in(another)
        assert third is not slot

    asyncio.run(go())
