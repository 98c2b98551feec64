"""The names of pay lines, in every language that a sign speaks. There is no other list.

A message carries the line's id; its name is looked up here whenever somebody is to read it, and is
never recorded. English has the words of the rule texts; a text that prints them in capitals, like
a heading, is written as a sentence.
"""

from typing import Final, NamedTuple

from progressive.domain.rulebook.rules import LinkRules

_DEALER: Final = "{dealer}"


class _Names(NamedTuple):
    en: str
    es: str
    zh: str


_LINES: Final = {
    # N.J.A.C. 13:69F-2.28(c). "In the first three cards" holds for all three-card lines.
    "three_7_suited": _Names(
        "Three 7s of the same suit",
        "Tres 7 del mismo palo",
        "三张同花 7",
    ),
    "three_7_color": _Names(
        "Three 7s of the same color",
        "Tres 7 del mismo color",
        "三张同色 7",
    ),
    "three_7_any": _Names(
        "Any three 7s",
        "Tres 7 cualesquiera",
        "任意三张 7",
    ),
    "three_7_diamonds": _Names(
        "Three 7s of diamonds",
        "Tres 7 de diamantes",
        "三张方块 7",
    ),
    "three_7_suited_other": _Names(
        "Three 7s of the same suit other than diamonds",
        "Tres 7 del mismo palo, no diamantes",
        "三张同花 7（方块除外）",
    ),
    "three_7_mixed": _Names(
        "Three mixed 7s",
        "Tres 7 mixtos",
        "三张混合 7",
    ),
    "two_7": _Names(
        "Two 7s in the first two cards",
        "Dos 7 en las dos primeras cartas",
        "首两张牌有两张 7",
    ),
    "one_7": _Names(
        "One 7 in the first two cards",
        "Un 7 en las dos primeras cartas",
        "首两张牌有一张 7",
    ),
    # N.J.A.C. 13:69F-2.30(g), ARSD 20:18:15:30.07(8), WSGC, The 101 Casino, Buster Bet: by the
    # number of cards in the busted hand of whoever banks the game.
    **{
        f"bust_{cards}": _Names(
            f"{_DEALER} busts with {cards} cards",
            f"{_DEALER} se pasa con {cards} cartas",
            f"{_DEALER} {cards} 张牌爆牌",
        )
        for cards in range(3, 8)
    },
    "bust_8_or_more": _Names(
        f"{_DEALER} busts with 8 or more cards",
        f"{_DEALER} se pasa con 8 o más cartas",
        f"{_DEALER} 8 张或以上爆牌",
    ),
    # The 101 Casino, Jack Magic Bonus Bet; its last row is printed "One Jacks".
    "three_one_eyed_jacks": _Names(
        "Three one-eyed jacks",
        "Tres jotas de un ojo",
        "三张单眼 J",
    ),
    "three_jacks": _Names(
        "Three jacks",
        "Tres jotas",
        "三张 J",
    ),
    "two_one_eyed_jacks": _Names(
        "Two one-eyed jacks",
        "Dos jotas de un ojo",
        "两张单眼 J",
    ),
    "two_jacks": _Names(
        "Two jacks",
        "Dos jotas",
        "两张 J",
    ),
    "one_one_eyed_jack": _Names(
        "One one-eyed jack",
        "Una jota de un ojo",
        "一张单眼 J",
    ),
    "one_jack": _Names(
        "One jack",
        "Una jota",
        "一张 J",
    ),
    # The 101 Casino, Odds.
    "natural_31": _Names(
        "Natural 31",
        "31 natural",
        "天生 31 点",
    ),
    "blackjack_x": _Names(
        "Blackjack X",
        "Blackjack X",
        "Blackjack X",
    ),
    "hard_31": _Names(
        "Hard 31",
        "31 duro",
        "硬 31 点",
    ),
    "other": _Names(
        "All other winning hands",
        "Todas las demás manos ganadoras",
        "所有其他胜手",
    ),
}
_HOUSE_BANKS: Final = _Names("Dealer", "El crupier", "荷官")
_PLAYER_BANKS: Final = _Names("Player-dealer", "El jugador-crupier", "坐庄玩家")
"""In California one of the players banks the game (The 101 Casino)."""


def line_names(line: str, *, player_dealer: bool = False) -> dict[str, str]:
    """A line by language (`SignLanguage`); empty where no game that is known here has it."""
    names = _LINES.get(line)
    if names is None:
        return {}
    banker = _PLAYER_BANKS if player_dealer else _HOUSE_BANKS
    return {
        "en": names.en.replace(_DEALER, banker.en),
        "es": names.es.replace(_DEALER, banker.es),
        "zh": names.zh.replace(_DEALER, banker.zh),
    }


def line_name(line: str, *, player_dealer: bool = False) -> str:
    """A line in English; of one that is not known, the id as words."""
    names = line_names(line, player_dealer=player_dealer)
    return names["en"] if names else line.replace("_", " ").capitalize()


def line_name_on(rules: LinkRules, bet: str, line: str) -> str:
    """A line of a bet of a link, in English."""
    return line_name(line, player_dealer=bet in rules.player_dealer_bets)
