"""rules: where two sets of terms differ, in words an operator can act on."""

import pytest
from msgspec import structs

from progressive.domain.ids import BetId
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.house_terms import RuleFile
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy
from progressive.domain.rulebook.rules import BetRules, LinkTerms, MeterRules
from tests.support.builders import MAJOR, MEGA, MINOR, a_bet, a_buster, a_link, a_meter

TERMS = a_link().terms
SIDE_BET = a_bet(id=BetId("side"), meters=(a_meter("side"),))


def changed_meter(**changes: object) -> LinkTerms:
    meters = (structs.replace(MEGA, **changes), MAJOR, MINOR)
    return a_link(meters=meters).terms


@pytest.mark.parametrize(
    ("configured", "line"),
    [
        (a_link(decks=8).terms, "decks: 6 in the journal, 8 in the floor"),
        (a_link(soft17="stand").terms, "soft17: hit in the journal, stand in the floor"),
        (
            a_link(dealer_procedure="no_peek").terms,
            "dealer_procedure: card_reader in the journal, no_peek in the floor",
        ),
        (
            a_link(wager_cents=100).terms,
            "bet.blazing7.wager_cents: 500 in the journal, 100 in the floor",
        ),
        (
            a_link(paytable="2").terms,
            "bet.blazing7.paytable: 3 in the journal, 2 in the floor",
        ),
        (
            a_link(dealing_option=None).terms,
            "bet.blazing7.dealing_option: 1 in the journal, None in the floor",
        ),
        (
            changed_meter(rate_ppm=120_001),
            "bet.blazing7.meter.mega.rate_ppm: 120000 in the journal, 120001 in the floor",
        ),
        (
            changed_meter(limit_cents=1),
            "bet.blazing7.meter.mega.limit_cents: 0 in the journal, 1 in the floor",
        ),
    ],
)
def test_difference_is_named_by_the_floor_files_key(configured: LinkTerms, line: str) -> None:
    assert differing_terms(TERMS, configured) == [line]


@pytest.mark.parametrize(
    ("of", "field"),
    [
        *[("bet", field) for field in BetRules.__struct_fields__ if field not in ("id", "meters")],
        *[("meter", f) for f in MeterRules.__struct_fields__ if f not in ("id", "name")],
    ],
)
def test_no_field_of_a_bet_or_meter_can_change_unseen(of: str, field: str) -> None:
    if of == "bet":
        changed = a_link(**{field: "changed"}).terms
        key = f"bet.blazing7.{field}"
    else:
        changed = changed_meter(**{field: 77})
        key = f"bet.blazing7.meter.mega.{field}"
    assert [line.split(":")[0] for line in differing_terms(TERMS, changed)] == [key]


def test_equal_terms_do_not_differ() -> None:
    assert differing_terms(TERMS, a_link().terms) == []


def test_name_of_a_meter_is_a_term_like_its_rate() -> None:
    """By its name players know which meter they play for: Mega and Minor are not swapped freely."""
    assert differing_terms(TERMS, changed_meter(name="MEGA!")) == [
        "bet.blazing7.meter.mega.name: Mega in the journal, MEGA! in the floor"
    ]


@pytest.mark.parametrize(
    ("house", "line"),
    [
        ({"time_zone": "Asia/Tokyo"}, "time_zone: UTC in the journal, Asia/Tokyo in the floor"),
        ({"policy": AwardPolicy(rack_limit_cents=0)}, "rack_limit_cents: 200000 in the journal"),
        (
            {
                "policy": AwardPolicy(
                    approvals=(
                        ApprovalRule(
                            from_day="2026-01-01",
                            clause="house rule",
                            steps=(ApprovalStep(from_cents=5, approvers=2),),
                        ),
                    )
                )
            },
            "payment_approval: none in the journal, from 2026-01-01 2 from 5 cents (house rule)",
        ),
        ({"gaming_day_starts": "06:00"}, "gaming_day_starts: 00:00 in the journal, 06:00"),
        (
            {"rule_files": (RuleFile(kind="game", name="nj-buster", sha256="ab"),)},
            "game file nj-buster: nothing in the journal, ab in the floor",
        ),
    ],
)
def test_what_the_house_settles_is_a_term(house: dict[str, object], line: str) -> None:
    recorded = a_link(jurisdiction="us-nj").terms
    (difference,) = differing_terms(recorded, a_link(jurisdiction="us-nj", **house).terms)
    assert difference.startswith(line)


@pytest.mark.parametrize(
    ("configured", "key"),
    [
        (a_link(meters=(MEGA, MAJOR)).terms, "bet.blazing7.meter.minor.rate_ppm"),
        (
            a_link(meters=(MEGA, MAJOR, MINOR, a_meter("extra"))).terms,
            "bet.blazing7.meter.extra.rate_ppm",
        ),
        (a_link(bets=(a_bet(), a_buster())).terms, "bet.buster.game"),
        (a_link(bets=()).terms, "bet.blazing7.game"),
    ],
)
def test_added_or_removed_bet_or_meter_is_a_difference(configured: LinkTerms, key: str) -> None:
    named = [line.split(":")[0] for line in differing_terms(TERMS, configured)]
    assert key in named


@pytest.mark.parametrize(
    ("recorded", "configured"),
    [
        (a_link(meters=(MEGA, MAJOR, MINOR)).terms, a_link(meters=(MINOR, MAJOR, MEGA)).terms),
        (a_link(bets=(a_bet(), SIDE_BET)).terms, a_link(bets=(SIDE_BET, a_bet())).terms),
    ],
    ids=["meters", "bets"],
)
def test_order_of_the_meters_is_part_of_the_terms(
    recorded: LinkTerms, configured: LinkTerms
) -> None:
    # The journal lists amounts in the order of the terms: another order gives them other names.
    assert differing_terms(recorded, configured) != []


def test_terms_list_all_meters_in_the_order_of_the_floor_file() -> None:
    assert [meter.id for meter in TERMS.meters] == ["mega", "major", "minor"]
    assert TERMS.bet_by_id == {"blazing7": a_bet()}
