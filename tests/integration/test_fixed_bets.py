"""A link without meters, Buster Blackjack alone, from the floor file to the books."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.adapters.config.floor import load_floor
from progressive.entry.bootstrap import Running, running
from tests.support.service import TableClient, issue_key, lock, run_command, settle, void, wager

FLOOR = """
schema = 1
name = "Deadwood"
currency = "USD"
time_zone = "America/Denver"
gaming_day_starts = "06:00"
jurisdiction = "us-sd"

[[link]]
id = "main"
decks = 6
dealer_procedure = "no_peek"
soft17 = "stand"

[[link.bet]]
id = "buster"
game = "sd-buster"
paytable = "A"
free_bonus = "B1"
min_cents = 100
max_cents = 10000

[[table]]
id = "BJ-01"
link = "main"
seats = 7

[[sign]]
id = "entrance"
link = "main"
"""


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    file = tmp_path / "floor.toml"
    file.write_text(FLOOR, encoding="utf-8")
    return file


@pytest.fixture
async def service(tmp_path: Path, floor: Path) -> AsyncIterator[Running]:
    rules = load_floor(floor).rules
    async with running(rules, data=tmp_path / "data", host="127.0.0.1", port=0) as service:
        yield service


def buster(seat: int, amount_cents: int = 500) -> dict[str, object]:
    return wager(seat, bet="buster", amount_cents=amount_cents, base_cents=500)


async def test_link_without_meters_takes_wagers_and_settles(
    service: Running, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    key = issue_key(data, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        assert table.welcome["meters"] == []
        assert table.welcome["bets"][0]["id"] == "buster"
        # No acceptor, no light, no chip to count; the bonus is offered, so the cap stands.
        refused = await table.ask(lock(1, "r1", wagers=[buster(1, 501)], chips_counted=0))
        assert refused["code"] == "ABOVE_BASE_WAGER"
        locked = await table.ask(lock(1, "r1", wagers=[buster(1), buster(4)], chips_counted=0))
        assert (locked["type"], locked["meters"]) == ("locked", [])
        # A soft 17 stands here, and nobody who bet on a bust has won.
        seats = [{"seat": 1, "cards": ["Ts", "9h"]}, {"seat": 4, "cards": ["As", "Kh"]}]
        dealer = {"cards": ["As", "6h"]}
        told = settle(2, "r1", dealer=dealer, seats=seats, complete=True)
        settled = await table.ask(told)
        assert (settled["type"], settled["awards"], settled["meters"]) == ("settled", [], [])
        again = await table.ask(lock(3, "r2", wagers=[buster(2)], chips_counted=0))
        assert again["type"] == "locked"
        assert (await table.ask(void(4, "r2")))["type"] == "voided"


BUST_7 = ["2s", "2h", "2d", "3c", "3d", "3s", "Kc"]


@pytest.mark.slow
async def test_one_hand_of_the_dealer_decides_every_buster_wager(
    service: Running, tmp_path: Path
) -> None:
    """ARSD 20:18:15:30.07(4), (5): pay all or collect all, and the dealer plays the hand out."""
    key = issue_key(tmp_path / "data", "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        await table.ask(lock(1, "r1", wagers=[buster(1), buster(4)], chips_counted=0))
        # Nobody won, said without the hand that decides it, or with half of it.
        for dealer in ([], ["Ts"], ["Ts", "6h"]):
            refused = await table.ask(settle(2, "r1", dealer={"cards": dealer}))
            assert refused["code"] == "INCOMPLETE_CARDS", dealer
            assert "dealer's" in refused["message"]
        # The bust keyed for one of two bettors pays both.
        seats = [{"seat": 1, "cards": ["Ts", "9h"]}]
        settled = await table.ask(
            settle(2, "r1", dealer={"cards": ["Ts", "6h", "Kc"]}, seats=seats)
        )
        assert [(each["seat"], each["amount_cents"]) for each in settled["awards"]] == [
            (4, 1000),
            (1, 1000),
        ]
        # "Nobody won" beside a bust hand pays everybody too.
        await table.ask(lock(3, "r2", wagers=[buster(2), buster(3)], chips_counted=0))
        settled = await table.ask(settle(4, "r2", dealer={"cards": ["Ts", "6h", "Kc"]}))
        assert [each["seat"] for each in settled["awards"]] == [3, 2]
        # Seven cards: a blackjack would earn $1,000, so each seat of $5 or more is asked.
        await table.ask(lock(5, "r3", wagers=[buster(1), buster(2, 499)], chips_counted=0))
        refused = await table.ask(settle(6, "r3", dealer={"cards": BUST_7}))
        assert (refused["code"], refused["message"].split(":")[0]) == ("INCOMPLETE_CARDS", "seat 1")
        seats = [{"seat": 1, "blackjack": False}]
        answered = settle(6, "r3", dealer={"cards": BUST_7}, seats=seats)
        settled = await table.ask(answered)
        assert [(each["seat"], each["bonus_cents"]) for each in settled["awards"]] == [
            (2, 0),
            (1, 0),
        ]
        again = await table.ask(answered)
        assert again["repeat"] is True
        # The same number with another answer is another message.
        other = settle(
            6, "r3", dealer={"cards": BUST_7}, seats=[{"seat": 1, "cards": ["As", "Kd"]}]
        )
        assert (await table.ask(other))["code"] == "SEQ_REUSED"
    verified = run_command("verify", "--data", tmp_path / "data")
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.slow
async def test_books_of_a_link_without_meters_balance(tmp_path: Path, floor: Path) -> None:
    data = tmp_path / "data"
    rules = load_floor(floor).rules
    async with running(rules, data=data, host="127.0.0.1", port=0) as service:
        key = issue_key(data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            await table.ask(lock(1, "r1", wagers=[buster(1)], chips_counted=0))
            await table.ask(void(2, "r1"))
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_check_sums_up_a_floor_without_meters(floor: Path) -> None:
    checked = run_command("check", floor)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "Deadwood, 1 link, 1 table, 0 meters" in checked.stdout
