"""Thousands of rounds settled twice: by the product and by the reference model. They must agree.

`CONFORMANCE_ROUNDS=200000` for a long look. A failure names its seed; `a_round(Random(seed))` is
the round.
"""

import os
import subprocess
import sys
from random import Random

import msgspec
import pytest

from tests.conformance import model
from tests.conformance.conftest import settle_by_product
from tests.conformance.model_cards import Request
from tests.conformance.mutations import MUTATIONS, spoiled
from tests.conformance.rounds import GAMES, a_round

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("CONFORMANCE_ROUNDS", "4000"))
SEEDS_PER_TEST = range(ROUNDS // len(GAMES))

RESULT_FIELDS = (
    "order", "seat", "bet", "line", "result", "kind", "meter", "share_percent", "pay_cents",
    "bonus_cents", "stake_returned_cents", "collected_cents",
)  # fmt: skip
METER_FIELDS = ("primary_cents", "reset_meter_cents", "reset_cents")
DEALER_FIELDS = ("cards", "count", "total", "soft", "bust", "blackjack")


def as_promised(answer: Request) -> Request:
    """What the protocol promises of an answer; a product may well say more."""
    if "error" in answer:
        return {"error": answer["error"]["code"]}
    return {
        "results": [
            {field: result[field] for field in RESULT_FIELDS} | {"hand": result.get("hand")}
            for result in answer["results"]
        ],
        "meters": {
            name: {field: meter[field] for field in METER_FIELDS}
            for name, meter in answer["meters"].items()
        },
        "dealer": {field: answer["dealer"][field] for field in DEALER_FIELDS},
        "collection": answer["collection"],
    }


@pytest.mark.parametrize("game", GAMES)
def test_product_and_model_settle_every_round_alike(game: str) -> None:
    for seed in SEEDS_PER_TEST:
        request = a_round(Random(seed), game)
        product, expected = settle_by_product(request), model.settle(request)
        assert as_promised(product) == as_promised(expected), f"seed {seed}: {request}"


def test_meters_lose_what_is_paid_and_gain_what_the_house_resets_them_to() -> None:
    for seed in SEEDS_PER_TEST:
        request = a_round(Random(seed), "nj-blazing-7s")
        request.pop("rates_ppm", None)  # Whole cents only, so that the sums show in full.
        answer = settle_by_product(request)
        if "error" in answer:
            continue
        for name, before in request["meters"].items():
            after = answer["meters"][name]
            won = [result for result in answer["results"] if result["meter"] == name]
            resets = [result["share_percent"] for result in won].count(100)
            if request.get("payment_order") == "equal_share":
                resets = min(resets, 1)
            paid_cents = sum(result["pay_cents"] for result in won)
            assert (
                before["primary_cents"]
                + before["reset_meter_cents"]
                + resets * before["reset_cents"]
                == after["primary_cents"] + after["reset_meter_cents"] + paid_cents
            ), f"seed {seed}: {request}"


@pytest.mark.parametrize("game", GAMES)
def test_one_thing_wrong_is_refused_by_both_with_a_fitting_code(game: str) -> None:
    for seed in SEEDS_PER_TEST:
        rng = Random(seed)
        sound = a_round(rng, game)
        if "error" in model.settle(sound):
            continue
        request, mutation, codes = spoiled(rng, sound)
        where = f"seed {seed}, {mutation}: {request}"
        assert model.settle(request)["error"]["code"] == codes[0], where
        product = settle_by_product(request)
        assert "error" in product, where
        assert product["error"]["code"] in codes, where
        assert product["error"]["message"], where


def test_the_rounds_reach_every_line_several_winners_and_every_mutation() -> None:
    """A generator that misses a line would let the comparison pass for nothing."""
    lines, winners, mutated = set(), set(), set()
    for seed in range(3_000):
        rng = Random(seed)
        request = a_round(rng)
        answer = model.settle(request)
        if "error" in answer:
            continue
        mutated.add(spoiled(rng, request)[1])
        meters = [result["meter"] for result in answer["results"] if result["meter"]]
        winners |= {meters.count(meter) for meter in meters}
        lines |= {(request["game"], result["bet"], result["line"]) for result in answer["results"]}
    assert {1, 2, 3} <= winners
    assert mutated == set(MUTATIONS)
    assert lines >= EVERY_LINE


BUST_LINES = {*(f"bust_{count}" for count in range(3, 8)), "bust_8_or_more", "none"}
GAME_101 = "ca-101-blackjack-x"
EVERY_LINE = {
    *((game, "buster", line) for game in GAMES[1:] for line in BUST_LINES),
    *(
        ("nj-blazing-7s", "blazing7", line)
        for line in (
            "three_7_suited", "three_7_color", "three_7_any", "three_7_diamonds",
            "three_7_suited_other", "three_7_mixed", "two_7", "one_7", "none",
        )
    ),
    *(
        (GAME_101, "jack_magic", line)
        for line in (
            "three_one_eyed_jacks", "three_jacks", "two_one_eyed_jacks", "two_jacks",
            "one_one_eyed_jack", "one_jack", "none",
        )
    ),
    *((GAME_101, "base", line) for line in ("natural_31", "blackjack_x", "hard_31", "other")),
}  # fmt: skip


def test_the_command_answers_line_by_line_and_goes_on_after_a_bad_one() -> None:
    requests = [a_round(Random(seed)) for seed in range(50)]
    lines = [msgspec.json.encode(request) for request in requests]
    bad = [b"{", b"[]", b"\xff", b"null", b'{"game":"nj-buster"}']
    ran = subprocess.run(
        [sys.executable, "-m", "progressive", "settle"],
        input=b"\n".join([*lines[:25], *bad, *lines[25:]]) + b"\n",
        capture_output=True,
        check=False,
    )
    answers = [msgspec.json.decode(line) for line in ran.stdout.splitlines()]
    assert len(answers) == len(lines) + len(bad)
    refused = answers[25 : 25 + len(bad)]
    assert {answer["error"]["code"] for answer in refused} == {"BAD_MESSAGE"}
    settled = answers[:25] + answers[25 + len(bad) :]
    assert [as_promised(answer) for answer in settled] == [
        as_promised(model.settle(request)) for request in requests
    ]
