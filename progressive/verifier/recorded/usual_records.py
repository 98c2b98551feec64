"""HOT. The kinds of records that are nearly all of a journal, read without the general decoder.

A pattern holds a line against the one form in which the format writes it, every name, type and
range in it; what matches is canonical, and its JSON values can be taken as they are. Whatever does
not match (a name with an escape, a number beyond all measure, anything forged) is left to the
general decoder: this one never says that something is wrong.
"""

import json
import re
from typing import Any, Final

from progressive.verifier.recorded.award_events import NO_MONEY, AwardMade, AwardMoney
from progressive.verifier.recorded.limits import CARDS_MAX, HANDS_MAX, NAME_MAX
from progressive.verifier.recorded.table_events import RoundSettled, SettledEarly, WagersRegistered
from progressive.verifier.recorded.values import (
    UNSET,
    DealerCards,
    MeterFlow,
    PlainWagers,
    SeatCards,
    Signature,
    Stake,
    Unset,
    Wager,
)

_PLAIN_CHARACTER: Final = r'[^"\\\x00-\x1f]'
"""What stands in a JSON text as it is."""
_TEXT: Final = f'"{_PLAIN_CHARACTER}*+"'
_BET: Final = f'"{_PLAIN_CHARACTER}{{0,{NAME_MAX}}}+"'
_NUMBER: Final = "(?:0|-?[1-9][0-9]{0,18}+)"
_NOT_ZERO: Final = "-?[1-9][0-9]{0,18}+"
_SMALL: Final = "(?:0|-?[1-9][0-9]{0,5}+)"
_CENTS: Final = "(?:0|[1-9][0-9]{0,10}+)"
_CARD: Final = '"[A2-9TJQK][shdc]"'


def _list_of(item: str, most: int | None = None, *, least: int = 0) -> str:
    """A JSON list: of any length, or of `most` at the most; `least` is 0 or 1."""
    times = "*+" if most is None else f"{{0,{most - 1}}}+"
    items = f"{item}(?:,{item}){times}"
    return rf"\[{items}\]" if least else rf"\[(?:{items})?+\]"


def _optional(name: str, value: str) -> str:
    """A field that is left out where it has its default, so `value` must not match that."""
    return f'(?:,"{name}":{value})?+'


_CARDS: Final = _list_of(_CARD, CARDS_MAX)
_WAGER: Final = (
    rf'\{{"seat":{_SMALL},"bet":{_BET},"amount_cents":{_CENTS},"base_cents":{_CENTS},'
    r'"tender":"(?:chip|coupon)"\}'
)
_SEAT: Final = (
    rf'\{{"seat":{_SMALL},"cards":{_CARDS},"hands":{_list_of(_CARDS, HANDS_MAX)}'
    rf"{_optional('blackjack', '(?:true|false)')}{_optional('points_over', '(?:true|false)')}\}}"
)
_FLOW: Final = rf"\[{_TEXT},{_NUMBER},{_NUMBER},{_NUMBER}\]"
_STAKE: Final = rf"\[{_TEXT},{_NUMBER},{_NUMBER}\]"
_SIGNATURE: Final = rf'\{{"name":{_TEXT},"department":{_TEXT}\}}'
_AWARD: Final = "".join(
    [
        rf'\{{"award":{_TEXT},"order":{_NUMBER},"seat":{_NUMBER},"bet":{_TEXT},"line":{_TEXT},',
        r'"kind":"(?:meter|fixed)"',
        _optional("meter", _TEXT),
        _optional("share_percent", _NUMBER),
        f',"amount_cents":{_NUMBER}',
        _optional("bonus_cents", _NOT_ZERO),
        f',"wager_cents":{_NUMBER}',
        _optional("stake_returned_cents", _NOT_ZERO),
        _optional("paid_before_cents", _NOT_ZERO),
        ',"status":"(?:payable|pending)"',
        _optional("pays_from", '"rack"'),
        _optional("meter_before", _NUMBER),
        _optional("meter_after", _NUMBER),
        *[_optional(each, _NOT_ZERO) for each in ("funded_cents", "from_reset", "from_overflow")],
        _optional("approvers", _NOT_ZERO),
        _optional("tax_form", _TEXT),
        r"\}",
    ]
)
_FIRST_OR_COMMA: Final = r"(?:(?<=\{)|(?<!\{),)"
"""Before a field of an object all of whose fields may be left out."""
_MONEY: Final = "".join(
    [
        r"\{",
        *[
            f'(?:{_FIRST_OR_COMMA}"{each}":{_NOT_ZERO})?+'
            for each in ("funding", "hold", "pending", "paid", "returned")
        ],
        r"\}",
    ]
)
_HEAD: Final = rf'\{{"seq":{_NUMBER},"at":{_TEXT},"prev":{_TEXT},"event":\{{"type":'
_LOCK: Final = re.compile(
    rf'{_HEAD}"wagers_registered","table":{_TEXT},"table_seq":{_NUMBER},"round":{_TEXT},'
    rf'"terms_version":{_NUMBER},"wagers":{_list_of(_WAGER)},'
    rf'(?:"plain":\[{_BET},{_CENTS},{_list_of(_SMALL)},{_list_of(_CENTS)}\],)?+'
    rf'"chips_counted":{_NUMBER},"stakes":{_list_of(_STAKE)},'
    rf'"flows":{_list_of(_FLOW)},"hold":{_NUMBER},"meters":{_list_of(_NUMBER)}\}}\}}'
)
_AWARDS: Final = _optional("awards", _list_of(_AWARD, least=1))
_MONEY_AND_DEALER: Final = "".join(
    [
        _optional("money", _MONEY),
        _optional("dealt_by", _SIGNATURE),
        _optional("dealt_seq", _NOT_ZERO),
        _optional("awarded_at", f'"{_PLAIN_CHARACTER}++"'),
    ]
)
_SETTLEMENT: Final = re.compile(
    rf'{_HEAD}"round_settled","table":{_TEXT},"table_seq":{_NUMBER},"round":{_TEXT},'
    rf'"dealer":\{{"cards":{_CARDS}\}},"seats":{_list_of(_SEAT)},"complete":(?:true|false),'
    rf'"meters":{_list_of(_NUMBER)}'
    + _AWARDS
    + _optional("flows", _list_of(_FLOW, least=1))
    + _MONEY_AND_DEALER
    + _optional("dealer_decides", "true")
    + r"\}\}"
)
_EARLY: Final = re.compile(
    rf'{_HEAD}"settled_early","table":{_TEXT},"table_seq":{_NUMBER},"round":{_TEXT},'
    rf'"dealer":\{{"cards":{_CARDS}\}},"seats":{_list_of(_SEAT)},"meters":{_list_of(_NUMBER)}'
    + _AWARDS
    + _MONEY_AND_DEALER
    + r"\}\}"
)

_Event = WagersRegistered | RoundSettled | SettledEarly
Usual = tuple[int, str, str, _Event]
"""Number, time, hash of the record before, and the event."""


def read_usual(stored: bytes) -> Usual | None:
    """A lock-out or a settlement; None: another record, or one that is not to be told here."""
    event: _Event | None
    try:
        text = stored.decode()
    except UnicodeDecodeError:
        return None
    if _SETTLEMENT.fullmatch(text):
        plain = json.loads(text)
        event = _settlement(plain["event"])
    elif _LOCK.fullmatch(text):
        plain = json.loads(text)
        event = _lock(plain["event"])
    elif _EARLY.fullmatch(text):
        plain = json.loads(text)
        event = _early(plain["event"])
    else:
        return None
    return None if event is None else (plain["seq"], plain["at"], plain["prev"], event)


def _lock(plain: dict[str, Any]) -> WagersRegistered | None:
    short = None
    if "plain" in plain:
        bet, amount_cents, seats, bases = plain["plain"]
        short = PlainWagers(bet, amount_cents, tuple(seats), tuple(bases))
        if not short.whole:
            return None
    return WagersRegistered(
        table=plain["table"],
        table_seq=plain["table_seq"],
        round=plain["round"],
        terms_version=plain["terms_version"],
        listed=tuple([Wager(*wager.values()) for wager in plain["wagers"]]),
        plain=short,
        chips_counted=plain["chips_counted"],
        stakes=tuple([Stake(*stake) for stake in plain["stakes"]]),
        flows=tuple([MeterFlow(*flow) for flow in plain["flows"]]),
        hold=plain["hold"],
        meters=tuple(plain["meters"]),
    )


def _settlement(plain: dict[str, Any]) -> RoundSettled:
    return RoundSettled(
        table=plain["table"],
        table_seq=plain["table_seq"],
        round=plain["round"],
        dealer=DealerCards(tuple(plain["dealer"]["cards"])),
        seats=_seats(plain["seats"]),
        complete=plain["complete"],
        meters=tuple(plain["meters"]),
        awards=tuple([AwardMade.of_stored(award) for award in plain.get("awards", ())]),
        flows=tuple([MeterFlow(*flow) for flow in plain.get("flows", ())]),
        money=AwardMoney(**plain["money"]) if "money" in plain else NO_MONEY,
        dealt_by=Signature(**plain["dealt_by"]) if "dealt_by" in plain else None,
        dealt_seq=plain.get("dealt_seq", 0),
        awarded_at=plain.get("awarded_at", ""),
        dealer_decides="dealer_decides" in plain,
    )


def _early(plain: dict[str, Any]) -> SettledEarly:
    return SettledEarly(
        table=plain["table"],
        table_seq=plain["table_seq"],
        round=plain["round"],
        dealer=DealerCards(tuple(plain["dealer"]["cards"])),
        seats=_seats(plain["seats"]),
        meters=tuple(plain["meters"]),
        awards=tuple([AwardMade.of_stored(award) for award in plain.get("awards", ())]),
        money=AwardMoney(**plain["money"]) if "money" in plain else NO_MONEY,
        dealt_by=Signature(**plain["dealt_by"]) if "dealt_by" in plain else None,
        dealt_seq=plain.get("dealt_seq", 0),
        awarded_at=plain.get("awarded_at", ""),
    )


def _seats(plain: list[dict[str, Any]]) -> tuple[SeatCards, ...]:
    """Nearly every seat is a number and its cards, and has not split."""
    return tuple(
        [
            SeatCards(seat["seat"], tuple(seat["cards"]))
            if len(seat) == 3 and not seat["hands"]
            else _seat(**seat)
            for seat in plain
        ]
    )


def _seat(
    seat: int,
    cards: list[str],
    hands: list[list[str]],
    blackjack: bool | Unset = UNSET,
    points_over: bool | Unset = UNSET,
) -> SeatCards:
    split = tuple([tuple(hand) for hand in hands])
    return SeatCards(seat, tuple(cards), split, blackjack, points_over)
