"""Both settlements under one name: what a golden case expects, each of the two must give."""

from collections.abc import Callable

import msgspec
import pytest

from progressive.adapters.config.games import shipped_games
from progressive.application.settle_tool.request import Settler
from tests.conformance import model
from tests.conformance.model_cards import Request

Settle = Callable[[Request], Request]

SETTLER = Settler(shipped_games())


def settle_by_product(request: Request) -> Request:
    answer: Request = msgspec.json.decode(SETTLER.settle_line(msgspec.json.encode(request)))
    return answer


@pytest.fixture(params=[model.settle, settle_by_product], ids=["model", "product"])
def settle(request: pytest.FixtureRequest) -> Settle:
    chosen: Settle = request.param
    return chosen
