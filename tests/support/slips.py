"""The slips of `tests/test_slips.py`: the text as it stands, and as a tired hand might write it."""

from typing import NamedTuple

HELD_BY_OTHERS = dict.fromkeys(
    ("application/settle_tool/rules", "application/settle_tool/cards", "domain/rulebook/paytable"),
    "tests/application/settle_tool/test_request.py",
) | {"domain/games/questions": "tests/domain/decide/test_dealer_decides.py"}
"""Modules without tests of their own name, and the tests that hold them."""


class Slip(NamedTuple):
    """One edit of one module."""

    module: str
    old: str
    new: str

    @property
    def file(self) -> str:
        return f"progressive/{self.module}.py"

    @property
    def tests(self) -> str:
        folder, _, name = self.module.rpartition("/")
        return HELD_BY_OTHERS.get(self.module, f"tests/{folder}/test_{name}.py")

    def __str__(self) -> str:
        return f"{self.module}: {' '.join(self.new.split())[:60]}"


EDITS: dict[str, list[tuple[str, str]]] = {
    "domain/cards": [
        ("min(place, 10)", "min(place, 11)"),
        ("start=1)", "start=0)"),
        ("self.points > BLACKJACK", "self.points >= BLACKJACK"),
        ("points <= BLACKJACK - 10", "points < BLACKJACK - 10"),
        ("points <= BLACKJACK - 10", "points <= BLACKJACK"),
        ("Total(points + 10, True)", "Total(points + 10, False)"),
        ("len(cards) == 2 and", "len(cards) >= 2 and"),
        ("copies > decks", "copies >= decks"),
        ("copies > decks", "copies > decks + 1"),
    ],
    "domain/games/dealt": [
        ("not 1 <= seat <= seats_max", "not 0 <= seat <= seats_max"),
        ("not 1 <= seat <= seats_max", "not 1 <= seat < seats_max"),
        ("if seat in given:", "if False:"),
        ("(at_seat.cards, *at_seat.hands)", "(at_seat.cards,)"),
        ("if only_wagered and", "if complete and"),
        ("len(at_seat.cards) < 2", "len(at_seat.cards) < 1"),
        ("if complete and (missing", "if (missing"),
        ("for hand in at_seat.hands or (at_seat.cards,):", "for hand in (at_seat.cards,):"),
        ("total(hand[:-1]).bust", "total(hand).bust"),
        ("total(hand[:-1]).bust", "total(hand[:-2]).bust"),
        ("for card in hand) != Counter(cards)", "for card in hand) > Counter(cards)"),
        ("None if hands[0] == cards else", "None if hands else"),
        ("POINTS_OF_CARD[cards[0]] != POINTS_OF_CARD[cards[1]]", "cards[0][0] != cards[1][0]"),
        ("any(len(hand) < 2 for hand in hands)", "any(len(hand) < 1 for hand in hands)"),
        ("Counter(cards[:2]) - Counter(led_by) or", "set(cards[:2]) - set(led_by) or"),
        ("for card in led_by}) > 1", "for card in led_by}) > 2"),
        ("[*dealer, *(card", "[*(card"),
        ("for card in at_seat.cards)]", "for card in at_seat.cards[:2])]"),
        ("range(2, len(dealer))", "range(3, len(dealer))"),
        ("if whole and not _stands", "if not _stands"),
        ("counted.points == DEALER_STANDS and counted.soft", "counted.points == DEALER_STANDS"),
        ('soft17 == "stand"', 'soft17 == "hit"'),
        ("counted.points >= DEALER_STANDS", "counted.points > DEALER_STANDS"),
        ("DEALER_STANDS = 17", "DEALER_STANDS = 18"),
    ],
    "domain/games/reading": [
        ("is_natural(seat.cards)", "is_natural(seat.cards[:2])"),
        ("is_natural(seat.cards)", "any(map(is_natural, final_hands(seat)))"),
        ("seat.hands or (seat.cards,)", "(seat.cards,)"),
        ("None if dealer else", "None if len(dealer) > 1 else"),
    ],
    "domain/games/blazing_sevens": [
        ('RED: Final = frozenset("hd")', 'RED: Final = frozenset("hs")'),
        ('frozenset("ATJQK")', 'frozenset("AJQK")'),
        ('frozenset("ATJQK")', 'frozenset("TJQK")'),
        ('first[0] != "7" and second[0] != "7"', 'first[0] != "7"'),
        ("if first[0] != second[0]:", "if first != second:"),
        ('third is None or third[0] != "7"', "third is None"),
        ('if suits == "ddd"', 'if suits == "hhh"'),
        ("if len(set(suits)) == 1:", "if len(set(suits)) <= 2:"),
        ("len({suit in RED for suit in suits}) == 1", "suits[0] in RED"),
        ('return ("three_7_color", "three_7_any")', 'return ("three_7_mixed", "three_7_any")'),
        (
            "if dealing.option == 2:\n        return dealer[0]",
            "if dealing.option == 2:\n        return dealer[-1]",
        ),
        ("return seat.cards[2]", "return seat.cards[-1]"),
        ("return seat.cards[2]", "return (seat.hands or (seat.cards,))[0][-1]"),
        (
            'dealing.procedure != "no_peek" and is_natural',
            'dealing.procedure == "card_reader" and is_natural',
        ),
        ('dealing.procedure != "no_peek" and is_natural', "is_natural"),
        ("is_natural(dealer[:2])", "dealer[0][0] in TEN_OR_ACE"),
        ('None if dealer else "the dealer\'s up card is missing"\n', "None\n"),
        ('dealing.procedure == "no_peek" or any', "any"),
        ("for card in seat.cards[:3])", "for card in seat.cards)"),
        ("len(seat.cards) < 3 or len(dealer) >= 2", "len(dealer) >= 2"),
    ],
    "domain/games/buster": [
        ("MOST_CARDS: Final = 8", "MOST_CARDS: Final = 7"),
        ("if cards < MOST_CARDS", "if cards <= MOST_CARDS"),
        ("if not total(dealer).bust:", "if total(dealer).points < 21:"),
        ("total(hand).points > limit", "total(hand).points >= limit"),
        ("any(total(hand).points > limit", "all(total(hand).points > limit"),
        ("for hand in final_hands(seat))", "for hand in final_hands(seat)[:1])"),
        ("bust_line(len(dealer))", "bust_line(len(dealer) - 2)"),
        ("len(dealer) >= 2", "len(dealer) >= 1"),
        ("needs_whole_dealer_hand=True", "needs_whole_dealer_hand=False"),
    ],
    "domain/games/questions": [
        ("len(at_seat.cards) >= 2:", "len(at_seat.cards) >= 3:"),
        ("at_seat.points_over is UNSET:\n            return (", "False:\n            return ("),
        ("at_seat.points_over is True", "at_seat.points_over is False"),
        ("if self.blackjack and not over and", "if self.blackjack and"),
        ("denied = at_seat.blackjack is False", "denied = at_seat.blackjack is not UNSET"),
        ("wager.amount_cents >= bet.free_bonus_min_cents", "True"),
        ("each.id == line.id and each.cents", "each.id == line.id"),
        ("if points_max is None and not bonus:", "if points_max is None:"),
        ("at_seat.points_over is not UNSET and not limits", "False"),
        ("is not is_natural(at_seat.cards)", "is None"),
        ("most > limit if not", "False if not"),
        ("complete and most <= limit", "False"),
    ],
    "domain/games/jack_magic": [
        ('("Js", "Jh")', '("Js", "Jc")'),
        ('("Js", "Jh")', '("Jd", "Jh")'),
        ("seat.cards[:2]", "seat.cards"),
        ("dealer[0])", "dealer[-1])"),
        ("(*seat.cards[:2], dealer[0])", "(*seat.cards[:2], *dealer[:2])"),
        (
            "(*_BY_ONE_EYED[one_eyed], *_BY_JACKS[jacks])",
            "_BY_ONE_EYED[one_eyed] or _BY_JACKS[jacks]",
        ),
        ("(*_BY_ONE_EYED[one_eyed], *_BY_JACKS[jacks])", "_BY_JACKS[jacks]"),
        ("missing=no_up_card", "missing=lambda *_: None"),
    ],
    "domain/games/blackjack_x": [
        ('== {"A", "K"}', '<= {"A", "K"}'),
        (" and cards[0][1] == cards[1][1]", ""),
        ('"push" if is_natural(dealer) else "win"', '"win"'),
        ("if is_natural(dealer) or BLACKJACK", "if BLACKJACK"),
        ("BLACKJACK < points < HARD_31", "BLACKJACK <= points < HARD_31"),
        ("BLACKJACK < points < HARD_31", "BLACKJACK < points <= HARD_31"),
        ("HARD_31: Final = 31", "HARD_31: Final = 30"),
        ("against.bust or points > against.points", "points > against.points"),
        ("points > against.points", "points >= against.points"),
        ('Outcome("push", "other")', 'Outcome("push", None)'),
        ("not is_natural(dealer[:2]) and any", "any"),
        ("any(not total(hand).bust", "all(not total(hand).bust"),
    ],
    "domain/games/claims": [
        ("for line in lines if line.id in made", "for line in reversed(lines) if line.id in made"),
        (
            "wager.amount_cents < bet.free_bonus_min_cents",
            "wager.amount_cents <= bet.free_bonus_min_cents",
        ),
        (
            "wager.amount_cents < bet.free_bonus_min_cents",
            "wager.base_cents < bet.free_bonus_min_cents + 1",
        ),
        (" or not has_blackjack(seat)", ""),
        ("if bonus.id == line.id), 0)", "), 0)"),
        ("reverse=order != ", "reverse=order == "),
        ('order != "clockwise"', 'order == "counter_clockwise"'),
        ("seats[wager.seat]", "seats[min(seats)]"),
        ("stake_cents=wager.amount_cents", "stake_cents=wager.base_cents"),
    ],
    "domain/awards/meter_payouts": [
        (
            "        amount = floor_cents(meter.primary)\n",
            "        amount = floor_cents(meter.primary + MICROCENTS_PER_CENT - 1)\n",
        ),
        (
            "WHOLE_PERCENT * MICROCENTS_PER_CENT, rounding)",
            'WHOLE_PERCENT * MICROCENTS_PER_CENT, "down")',
        ),
        ("amount = min(amount, floor_cents(meter.primary))", "amount = min(amount, amount)"),
        ('rounding: AwardRounding = "nearest"', 'rounding: AwardRounding = "down"'),
        ("max(WHOLE_PERCENT, sum(shares_percent))", "sum(shares_percent)"),
        ("max(WHOLE_PERCENT, sum(shares_percent))", "WHOLE_PERCENT"),
        ("amount = meter.primary * share_percent //", "amount = now.primary * share_percent //"),
        ("if WHOLE_PERCENT in shares_percent:", "if shares_percent:"),
        ("if WHOLE_PERCENT in shares_percent:", "if False:"),
        ('if order == "equal_share":', 'if order != "counter_clockwise":'),
        ("        meter = taking.after\n", ""),
        ("meter.primary - microcents(cents)", "meter.primary"),
        ("+ microcents(reset.reset_cents) + put_by", "+ microcents(reset.reset_cents)"),
        ("left.primary + microcents(reset.reset_cents)", "left.primary + reset.reset_cents"),
        ("primary = left.primary + microcents", "primary = microcents"),
        (
            "MeterAmounts(primary=primary, reset=0, overflow",
            "MeterAmounts(primary=primary, reset=left.reset, overflow",
        ),
        ('if reset.overflow == "to_reset_meter"', 'if reset.overflow == "stay"'),
        ("max(0, primary - microcents(reset.limit_cents))", "0"),
        ("waiting + above", "above"),
        ("funded_cents=reset.reset_cents", "funded_cents=0"),
    ],
    "domain/awards/settlement": [
        ("self.claim.stake_cents - self.stake_returned_cents", "self.claim.stake_cents"),
        ("now[meter] = taken[-1].after", "now[meter] = taken[0].after"),
        ("now = dict(meters)", "now = meters"),
        ("order=order, rounding=rounding)", 'order=order, rounding="nearest")'),
        ("order=order, rounding=rounding)", 'order="clockwise", rounding=rounding)'),
        (
            "stake_returned_cents=claim.stake_cents)\n    pays",
            "pay_cents=claim.stake_cents)\n    pays",
        ),
        ("claim.stake_cents * pays.for_one", "claim.stake_cents * (pays.for_one - 1)"),
        ('pays.per, "nearest")', 'pays.per, "down")'),
        ("rounded(claim.stake_cents * pays.to, pays.per", "rounded(claim.stake_cents * pays.to, 1"),
        ('"nearest"),\n            stake_returned_cents=claim.stake_cents,', '"nearest"),'),
        ("stake_returned_cents=claim.given_back_cents", "stake_returned_cents=0"),
        ("append((place, pays.share_percent))", "append((place, 100))"),
    ],
    "domain/awards/player_dealer": [
        ("min(each.pay_cents, wager_cents + net)", "min(each.pay_cents, wager_cents)"),
        ("min(each.pay_cents, wager_cents + net)", "min(each.pay_cents, wager_cents - net)"),
        ("min(each.collected_cents, wager_cents - net)", "each.collected_cents"),
        ("min(each.collected_cents, wager_cents - net)", "min(each.collected_cents, wager_cents)"),
        ("net += collected - pay", "net -= collected + pay"),
        ("each.claim.stake_cents - collected", "each.stake_returned_cents"),
        ("rounds_banked < bank_rounds", "rounds_banked <= bank_rounds"),
        ("if other > seat", "if other < seat"),
        ("if other > seat), None)", "if other > seat), seat)"),
        ("others = sorted(other", "others = list(other"),
        ("may_continue=False", "may_continue=True"),
    ],
    "domain/games/base_game": [
        ("ToOne(to=2)", "ToOne(to=2, per=2)"),
        ("HANDS_MAX: Final = 4", "HANDS_MAX: Final = 3"),
        ("len(hands) > HANDS_MAX", "len(hands) > HANDS_MAX + 1"),
        ("len(told) != len(hands)", "len(told) > len(hands)"),
        ("default=0)) > wager.amount_cents", "default=0)) >= wager.amount_cents"),
        ('dealer[0][0] != "A"', 'dealer[1][0] != "A"'),
        ("2 * seat.insurance_cents > wager", "2 * seat.insurance_cents >= wager"),
        ("2 * seat.insurance_cents > wager", "seat.insurance_cents > wager"),
        ("100 * seat.insurance_cents < wager", "100 * seat.insurance_cents <= wager"),
        ("if len(hands) > 2:", "if len(hands) > 3:"),
        ("any(len(hand) > 2 for hand in hands)", "any(len(hand) > 3 for hand in hands)"),
        ("if len(hands) == 1 and len(seat.cards) > 2 and", "if len(seat.cards) > 9 and"),
        ("doubled and (natural or len(hand) != 3)", "doubled and len(hand) > 3"),
        ("gone and (natural or len(hand) != 2)", "gone and len(hand) != 2"),
        ("stake = wager.amount_cents + doubled", "stake = wager.amount_cents"),
        ("given_back_cents=stake // 2", "given_back_cents=(stake + 1) // 2"),
        ("place + 1 if split", "place if split"),
        ("seat.surrendered and seat.surrendered[place]", "any(seat.surrendered)"),
        ("insured = is_natural(dealer)", "insured = bool(dealer)"),
        ("stake_cents=seat.insurance_cents", "stake_cents=wager.amount_cents"),
        ("zip(hands, given_up, strict=True) if not gone", "zip(hands, given_up, strict=True)"),
        (
            "zip(hands, given_up, strict=True) if not gone",
            "zip(hands, given_up, strict=True) if gone",
        ),
        ("not has_blackjack(seat) and blackjack_x", "blackjack_x"),
    ],
    "domain/games/lammers": [
        ('if use == "before_deal"', 'if use == "after_hand"'),
        ("has_blackjack(seat) or all", "all"),
        ("has_blackjack(seat) or all", "has_blackjack(seat) or any"),
        ("return sorted(wagered)", "return sorted(seats)"),
        ("if seat in seats and ", "if "),
    ],
    "domain/rulebook/paytable": [
        ("action_cents <= band.up_to_cents", "action_cents < band.up_to_cents"),
        ('== "with_free_bonus" and with_free_bonus', '== "with_free_bonus"'),
        ('self.capped_by_base_wager == "always" or (', "("),
    ],
    "application/settle_tool/rules": [
        ("bet.capped and amount > base_cents", "bet.capped and amount >= base_cents"),
        ("bet.capped and amount > base_cents", "amount > base_cents"),
        ("if amount < least:", "if amount <= least:"),
        ("if rules.needs_base_wager and not base_cents", "if not base_cents"),
        ("base.get(wager.seat, wager.base_cents)", "wager.base_cents"),
        ("if len(amounts) > 1:", "if len(amounts) > 2:"),
        ("option = 1 if", "option = 2 if"),
        ('request.dealer_procedure or "no_peek"', 'request.dealer_procedure or "card_reader"'),
        ("game.soft17.accepted[0]", "game.soft17.accepted[-1]"),
        ('request.award_rounding or "nearest"', '"nearest"'),
        ("        lit.add((wager.seat, wager.bet))\n", ""),
        ("least_cents = bet.free_bonus_minimum.cents\n", "least_cents = 0\n"),
        ("if not 1 <= wager.seat <= SEATS_MAX", "if not 0 <= wager.seat <= SEATS_MAX"),
    ],
    "application/settle_tool/cards": [
        ("seats[wager.seat], dealer) or whole", "seats[wager.seat], dealer)"),
        ("return depends_on_draw(seat, dealer)", "return True"),
        ("return reader.needs_whole_dealer_hand", "return False"),
        ("if based and not request.complete:", "if False:"),
        ("    _refuse(unanswered(asked, seats))\n", ""),
        ("return asked.keys()", "return frozenset()"),
        ("bool(seat.cards) or decided_by_dealer(bet.offered)", "bool(seat.cards)"),
    ],
    "application/settle_tool/request": [
        ("wagered_cents * rate.primary", "wagered_cents * rate.reset"),
        ("wagered_cents * rate.reset", "wagered_cents * rate.primary"),
        ("action_cents < banked.least_action_cents", "action_cents <= banked.least_action_cents"),
        ('"paid" if busted else "collected"', '"collected" if busted else "paid"'),
        ("not low <= wager.amount_cents <= high", "not low < wager.amount_cents < high"),
        ("_NATURAL_31: Final = 31", "_NATURAL_31: Final = 21"),
        ("enumerate(settled, start=1)", "enumerate(settled)"),
        ("    if request.complete:\n        return\n", "    return\n"),
        ("            request.dealer_procedure,\n", ""),
        ("        settled = cover(settled, request.player_dealer_wager_cents)\n", "        pass\n"),
        ("len(line) > LINE_BYTES_MAX", "len(line) >= LINE_BYTES_MAX"),
    ],
}
"""By module: the text as it stands, once in the file, and the slip."""

SLIPS = [Slip(module, *edit) for module, edits in EDITS.items() for edit in edits]
