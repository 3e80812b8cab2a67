import asyncio

import pytest

from groundgraph.errors import ModelUnavailable
from groundgraph.models.failures import RequestRejected
from groundgraph.models.features import Feature


class Server:
    """Counts its calls; rejects the feature, or is down, as told."""

    def __init__(self, knows: bool = True, is_down: bool = False) -> None:
        self.knows = knows
        self.is_down = is_down
        self.asked: list[bool] = []
        self.in_flight = self.max_in_flight = 0

    async def __call__(self, wanted: bool) -> str:
        self.asked.append(wanted)
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        await asyncio.sleep(0.01)
        self.in_flight -= 1
        if self.is_down:
            raise ModelUnavailable("down")
        if wanted and not self.knows:
            raise RequestRejected("422")
        return "with" if wanted else "without"


async def five(feature: Feature, server: Server) -> list[str | BaseException]:
    calls = (feature.attempt("openai:m", server) for _ in range(5))
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_a_feature_that_is_known_is_used_by_all() -> None:
    server = Server()
    assert await five(Feature(), server) == ["with"] * 5
    assert server.max_in_flight == 4, "the first tries alone, the rest go together"


async def test_a_rejected_feature_is_tried_once() -> None:
    feature, server = Feature(), Server(knows=False)
    assert await five(feature, server) == ["without"] * 5
    assert await five(feature, server) == ["without"] * 5
    assert server.asked.count(True) == 1


async def test_a_dead_endpoint_teaches_nothing_and_is_not_tried_one_by_one() -> None:
    feature, server = Feature(), Server(is_down=True)
    assert all(isinstance(result, ModelUnavailable) for result in await five(feature, server))
    assert server.max_in_flight == 4
    server.is_down = False
    assert await five(feature, server) == ["with"] * 5


async def test_one_rejection_of_a_known_feature_is_not_held_against_the_next_call() -> None:
    feature, server = Feature(), Server()
    await feature.attempt("openai:m", server)
    server.knows = False
    assert await feature.attempt("openai:m", server) == "without"
    server.knows = True
    assert await feature.attempt("openai:m", server) == "with"


async def test_a_cancelled_first_call_lets_the_others_go_on() -> None:
    feature, server = Feature(), Server()
    first = asyncio.create_task(feature.attempt("openai:m", server))
    await asyncio.sleep(0)
    second = asyncio.create_task(feature.attempt("openai:m", server))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == "with"
