"""What dask's client shares between those who wait is not cancelled with one of them."""

from __future__ import annotations

import asyncio

from tests.workplace import needs

pytestmark = needs("distributed", "dask is not installed: pip install 'epcg-core[cluster]'")


def test_who_stops_waiting_takes_nobody_along() -> None:
    async def two_wait() -> tuple[bool, int]:
        arrived = asyncio.Event()

        async def request() -> int:
            await arrived.wait()
            return 7

        shared = asyncio.ensure_future(request())

        async def gather() -> int:
            return await shared

        one, other = (asyncio.ensure_future(_waiting(gather())) for _ in range(2))
        await asyncio.sleep(0.01)
        one.cancel()
        await asyncio.wait([one])
        arrived.set()
        return one.cancelled(), await other

    assert asyncio.run(two_wait()) == (True, 7)


async def _waiting(doing: object) -> int:
    from epcg_core.execution.dask.cluster import _uncancelled

    return await _uncancelled(doing)  # type: ignore[arg-type]


def test_an_error_that_nobody_waits_for_is_not_reported() -> None:
    reported: list[object] = []

    async def fails_later() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))

        async def gather() -> int:
            await asyncio.sleep(0.01)
            raise ValueError("too late")

        task = asyncio.ensure_future(_waiting(gather()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0.05)

    asyncio.run(fails_later())
    assert reported == []
