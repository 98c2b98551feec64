"""The slips of `tests/test_slips.py`: the text as it stands, and as a tired hand might write it."""

from typing import NamedTuple

DOMAIN = "progressive/domain"


class Slip(NamedTuple):
    """One edit of one module of the domain."""

    module: str
    old: str
    new: str

    @property
    def file(self) -> str:
        return f"{DOMAIN}/{self.module}.py"

    @property
    def tests(self) -> str:
        folder, _, name = f"tests/domain/{self.module}".rpartition("/")
        return f"{folder}/test_{name}.py"

    def __str__(self) -> str:
        return f"{self.module}: {' '.join(self.new.split())[:60]}"


SLIPS = [
    # --- cards ----------------------------------------------------------------------------------
    Slip("cards", "min(place, 10)", "min(place, 11)"),
    Slip("cards", "start=1)", "start=0)"),
    Slip("cards", "self.points > BLACKJACK", "self.points >= BLACKJACK"),
    Slip("cards", "points <= BLACKJACK - 10", "points < BLACKJACK - 10"),
    Slip("cards", "points <= BLACKJACK - 10", "points <= BLACKJACK"),
    Slip("cards", "Total(points + 10, True)", "Total(points + 10, False)"),
    Slip("cards", "len(cards) == 2 and", "len(cards) >= 2 and"),
    Slip("cards", "copies > decks", "copies >= decks"),
    Slip("cards", "copies > decks", "copies > decks + 1"),
    # --- dealt ----------------------------------------------------------------------------------
    Slip("dealt", "not 1 <= seat <= seats_max", "not 0 <= seat <= seats_max"),
    Slip("dealt", "not 1 <= seat <= seats_max", "not 1 <= seat < seats_max"),
    Slip("dealt", "if seat in given:", "if seat in given and not at_seat.hands and False:"),
    Slip("dealt", "(at_seat.cards, *at_seat.hands)", "(at_seat.cards,)"),
    Slip("dealt", "if only_wagered and", "if complete and"),
    Slip("dealt", "len(at_seat.cards) < 2", "len(at_seat.cards) < 1"),
    Slip("dealt", "if complete and (missing", "if (missing"),
    Slip(
        "dealt", "for hand in at_seat.hands or (at_seat.cards,):", "for hand in (at_seat.cards,):"
    ),
    Slip("dealt", "total(hand[:-1]).bust", "total(hand).bust"),
    Slip("dealt", "total(hand[:-1]).bust", "total(hand[:-2]).bust"),
    Slip("dealt", "for card in hand) != Counter(cards)", "for card in hand) > Counter(cards)"),
    Slip("dealt", "None if hands[0] == cards else", "None if hands else"),
    Slip(
        "dealt",
        "POINTS_OF_CARD[cards[0]] != POINTS_OF_CARD[cards[1]]",
        "cards[0][0] != cards[1][0]",
    ),
    Slip("dealt", "any(len(hand) < 2 for hand in hands)", "any(len(hand) < 1 for hand in hands)"),
    Slip("dealt", "Counter(cards[:2]) - Counter(led_by) or", "set(cards[:2]) - set(led_by) or"),
    Slip("dealt", "for card in led_by}) > 1", "for card in led_by}) > 2"),
    Slip("dealt", "[*dealer, *(card", "[*(card"),
    Slip("dealt", "for card in at_seat.cards)]", "for card in at_seat.cards[:2])]"),
    Slip("dealt", "range(2, len(dealer))", "range(3, len(dealer))"),
    Slip("dealt", "if whole and not _stands", "if not _stands"),
    Slip(
        "dealt",
        "counted.points == DEALER_STANDS and counted.soft",
        "counted.points == DEALER_STANDS",
    ),
    Slip("dealt", 'soft17 == "stand"', 'soft17 == "hit"'),
    Slip("dealt", "counted.points >= DEALER_STANDS", "counted.points > DEALER_STANDS"),
    Slip("dealt", "DEALER_STANDS = 17", "DEALER_STANDS = 18"),
    # --- games/reading --------------------------------------------------------------------------
    Slip("games/reading", "is_natural(seat.cards)", "is_natural(seat.cards[:2])"),
    Slip("games/reading", "is_natural(seat.cards)", "any(map(is_natural, final_hands(seat)))"),
    Slip("games/reading", "seat.hands or (seat.cards,)", "(seat.cards,)"),
    Slip("games/reading", "None if dealer else", "None if len(dealer) > 1 else"),
    # --- games/blazing_sevens -------------------------------------------------------------------
    Slip("games/blazing_sevens", 'RED: Final = frozenset("hd")', 'RED: Final = frozenset("hs")'),
    Slip("games/blazing_sevens", 'frozenset("ATJQK")', 'frozenset("AJQK")'),
    Slip("games/blazing_sevens", 'frozenset("ATJQK")', 'frozenset("TJQK")'),
    Slip("games/blazing_sevens", 'first[0] != "7" and second[0] != "7"', 'first[0] != "7"'),
    Slip("games/blazing_sevens", "if first[0] != second[0]:", "if first != second:"),
    Slip("games/blazing_sevens", 'third is None or third[0] != "7"', "third is None"),
    Slip("games/blazing_sevens", 'if suits == "ddd"', 'if suits == "hhh"'),
    Slip("games/blazing_sevens", "if len(set(suits)) == 1:", "if len(set(suits)) <= 2:"),
    Slip("games/blazing_sevens", "len({suit in RED for suit in suits}) == 1", "suits[0] in RED"),
    Slip(
        "games/blazing_sevens",
        'return ("three_7_color", "three_7_any")',
        'return ("three_7_mixed", "three_7_any")',
    ),
    Slip(
        "games/blazing_sevens",
        "if dealing.option == 2:\n        return dealer[0]",
        "if dealing.option == 2:\n        return dealer[-1]",
    ),
    Slip("games/blazing_sevens", "return seat.cards[2]", "return seat.cards[-1]"),
    Slip(
        "games/blazing_sevens",
        "return seat.cards[2]",
        "return (seat.hands or (seat.cards,))[0][-1]",
    ),
    Slip(
        "games/blazing_sevens",
        'dealing.procedure != "no_peek" and is_natural',
        'dealing.procedure == "card_reader" and is_natural',
    ),
    Slip("games/blazing_sevens", 'dealing.procedure != "no_peek" and is_natural', "is_natural"),
    Slip("games/blazing_sevens", "is_natural(dealer[:2])", "dealer[0][0] in TEN_OR_ACE"),
    Slip(
        "games/blazing_sevens", 'None if dealer else "the dealer\'s up card is missing"\n', "None\n"
    ),
    Slip("games/blazing_sevens", 'dealing.procedure == "no_peek" or any', "any"),
    Slip("games/blazing_sevens", "for card in seat.cards[:3])", "for card in seat.cards)"),
    Slip("games/blazing_sevens", "len(seat.cards) < 3 or len(dealer) >= 2", "len(dealer) >= 2"),
    # --- games/buster ---------------------------------------------------------------------------
    Slip("games/buster", "MOST_CARDS: Final = 8", "MOST_CARDS: Final = 7"),
    Slip("games/buster", "if cards < MOST_CARDS", "if cards <= MOST_CARDS"),
    Slip("games/buster", "if not total(dealer).bust:", "if total(dealer).points < 21:"),
    Slip("games/buster", "total(hand).points > limit", "total(hand).points >= limit"),
    Slip("games/buster", "any(total(hand).points > limit", "all(total(hand).points > limit"),
    Slip("games/buster", "for hand in final_hands(seat))", "for hand in final_hands(seat)[:1])"),
    Slip("games/buster", "bust_line(len(dealer))", "bust_line(len(dealer) - 2)"),
    Slip("games/buster", "len(dealer) >= 2", "len(dealer) >= 1"),
    Slip("games/buster", "needs_whole_dealer_hand=True", "needs_whole_dealer_hand=False"),
    # --- games/jack_magic -----------------------------------------------------------------------
    Slip("games/jack_magic", '("Js", "Jh")', '("Js", "Jc")'),
    Slip("games/jack_magic", '("Js", "Jh")', '("Jd", "Jh")'),
    Slip("games/jack_magic", "seat.cards[:2]", "seat.cards"),
    Slip("games/jack_magic", "dealer[0])", "dealer[-1])"),
    Slip("games/jack_magic", "(*seat.cards[:2], dealer[0])", "(*seat.cards[:2], *dealer[:2])"),
    Slip(
        "games/jack_magic",
        "(*_BY_ONE_EYED[one_eyed], *_BY_JACKS[jacks])",
        "_BY_ONE_EYED[one_eyed] or _BY_JACKS[jacks]",
    ),
    Slip("games/jack_magic", "(*_BY_ONE_EYED[one_eyed], *_BY_JACKS[jacks])", "_BY_JACKS[jacks]"),
    Slip("games/jack_magic", "missing=no_up_card", "missing=lambda *_: None"),
    # --- games/blackjack_x ----------------------------------------------------------------------
    Slip("games/blackjack_x", '== {"A", "K"}', '<= {"A", "K"}'),
    Slip("games/blackjack_x", " and cards[0][1] == cards[1][1]", ""),
    Slip("games/blackjack_x", '"push" if is_natural(dealer) else "win"', '"win"'),
    Slip("games/blackjack_x", "if is_natural(dealer) or BLACKJACK", "if BLACKJACK"),
    Slip("games/blackjack_x", "BLACKJACK < points < HARD_31", "BLACKJACK <= points < HARD_31"),
    Slip("games/blackjack_x", "BLACKJACK < points < HARD_31", "BLACKJACK < points <= HARD_31"),
    Slip("games/blackjack_x", "HARD_31: Final = 31", "HARD_31: Final = 30"),
    Slip("games/blackjack_x", "against.bust or points > against.points", "points > against.points"),
    Slip("games/blackjack_x", "points > against.points", "points >= against.points"),
    Slip("games/blackjack_x", 'Outcome("push", "other")', 'Outcome("push", None)'),
    Slip("games/blackjack_x", "if is_natural(dealer[:2]) or has_blackjack", "if has_blackjack"),
    Slip(
        "games/blackjack_x",
        "or has_blackjack(seat):\n        return False",
        "or False:\n        return False",
    ),
    Slip("games/blackjack_x", "any(not total(hand).bust", "all(not total(hand).bust"),
    # --- claims ---------------------------------------------------------------------------------
    Slip(
        "claims",
        "for line in lines if line.id in made",
        "for line in reversed(lines) if line.id in made",
    ),
    Slip(
        "claims",
        "wager.amount_cents < bet.free_bonus_min_cents",
        "wager.amount_cents <= bet.free_bonus_min_cents",
    ),
    Slip(
        "claims",
        "wager.amount_cents < bet.free_bonus_min_cents",
        "wager.base_cents < bet.free_bonus_min_cents + 1",
    ),
    Slip("claims", " or not has_blackjack(seat)", ""),
    Slip("claims", "if bonus.id == line.id), 0)", "), 0)"),
    Slip("claims", "reverse=order != ", "reverse=order == "),
    Slip("claims", 'order != "clockwise"', 'order == "counter_clockwise"'),
    Slip("claims", "seats[wager.seat]", "seats[min(seats)]"),
    Slip("claims", "stake_cents=wager.amount_cents", "stake_cents=wager.base_cents"),
    # --- awards ---------------------------------------------------------------------------------
    Slip(
        "awards",
        "        amount = floor_cents(meter.primary)\n",
        "        amount = floor_cents(meter.primary + MICROCENTS_PER_CENT - 1)\n",
    ),
    Slip(
        "awards",
        "WHOLE_PERCENT * MICROCENTS_PER_CENT, rounding)",
        'WHOLE_PERCENT * MICROCENTS_PER_CENT, "down")',
    ),
    Slip(
        "awards", "amount = min(amount, floor_cents(meter.primary))", "amount = min(amount, amount)"
    ),
    Slip("awards", 'rounding: AwardRounding = "nearest"', 'rounding: AwardRounding = "down"'),
    Slip("awards", "max(WHOLE_PERCENT, sum(shares_percent))", "sum(shares_percent)"),
    Slip("awards", "max(WHOLE_PERCENT, sum(shares_percent))", "WHOLE_PERCENT"),
    Slip(
        "awards",
        "amount = meter.primary * share_percent //",
        "amount = now.primary * share_percent //",
    ),
    Slip("awards", "if WHOLE_PERCENT in shares_percent:", "if shares_percent:"),
    Slip("awards", "if WHOLE_PERCENT in shares_percent:", "if False:"),
    Slip("awards", 'if order == "equal_share":', 'if order != "counter_clockwise":'),
    Slip("awards", "        meter = taking.after\n", ""),
    Slip("awards", "meter.primary - microcents(cents)", "meter.primary"),
    Slip("awards", "+ microcents(reset.reset_cents) + put_by", "+ microcents(reset.reset_cents)"),
    Slip(
        "awards", "left.primary + microcents(reset.reset_cents)", "left.primary + reset.reset_cents"
    ),
    Slip("awards", "primary = left.primary + microcents", "primary = microcents"),
    Slip(
        "awards",
        "MeterAmounts(primary=primary, reset=0, overflow",
        "MeterAmounts(primary=primary, reset=left.reset, overflow",
    ),
    Slip("awards", 'if reset.overflow == "to_reset_meter"', 'if reset.overflow == "stay"'),
    Slip("awards", "max(0, primary - microcents(reset.limit_cents))", "0"),
    Slip("awards", "waiting + above", "above"),
    Slip("awards", "funded_cents=reset.reset_cents", "funded_cents=0"),
    # --- settlement -----------------------------------------------------------------------------
    Slip(
        "settlement", "self.claim.stake_cents - self.stake_returned_cents", "self.claim.stake_cents"
    ),
    Slip("settlement", "now[meter] = taken[-1].after", "now[meter] = taken[0].after"),
    Slip("settlement", "now = dict(meters)", "now = meters"),
    Slip("settlement", "order=order, rounding=rounding)", 'order=order, rounding="nearest")'),
    Slip("settlement", "order=order, rounding=rounding)", 'order="clockwise", rounding=rounding)'),
    Slip(
        "settlement",
        "stake_returned_cents=claim.stake_cents)\n    pays",
        "pay_cents=claim.stake_cents)\n    pays",
    ),
    Slip(
        "settlement", "claim.stake_cents * pays.for_one", "claim.stake_cents * (pays.for_one - 1)"
    ),
    Slip("settlement", 'pays.per, "nearest")', 'pays.per, "down")'),
    Slip(
        "settlement",
        "rounded(claim.stake_cents * pays.to, pays.per",
        "rounded(claim.stake_cents * pays.to, 1",
    ),
    Slip(
        "settlement",
        '"nearest"),\n            stake_returned_cents=claim.stake_cents,',
        '"nearest"),',
    ),
    Slip("settlement", "stake_returned_cents=claim.given_back_cents", "stake_returned_cents=0"),
    Slip("settlement", "append((place, pays.share_percent))", "append((place, 100))"),
    # --- player_dealer --------------------------------------------------------------------------
    Slip(
        "player_dealer",
        "min(each.pay_cents, wager_cents + net)",
        "min(each.pay_cents, wager_cents)",
    ),
    Slip(
        "player_dealer",
        "min(each.pay_cents, wager_cents + net)",
        "min(each.pay_cents, wager_cents - net)",
    ),
    Slip("player_dealer", "min(each.collected_cents, wager_cents - net)", "each.collected_cents"),
    Slip(
        "player_dealer",
        "min(each.collected_cents, wager_cents - net)",
        "min(each.collected_cents, wager_cents)",
    ),
    Slip("player_dealer", "net += collected - pay", "net -= collected + pay"),
    Slip("player_dealer", "each.claim.stake_cents - collected", "each.stake_returned_cents"),
    Slip("player_dealer", "rounds_banked < bank_rounds", "rounds_banked <= bank_rounds"),
    Slip("player_dealer", "if other > seat", "if other < seat"),
    Slip("player_dealer", "if other > seat), None)", "if other > seat), seat)"),
    Slip("player_dealer", "others = sorted(other", "others = list(other"),
    Slip("player_dealer", "may_continue=False", "may_continue=True"),
    # --- base_game ------------------------------------------------------------------------------
    Slip("base_game", "ToOne(to=2)", "ToOne(to=2, per=2)"),
    Slip("base_game", "HANDS_MAX: Final = 4", "HANDS_MAX: Final = 3"),
    Slip("base_game", "len(hands) > HANDS_MAX", "len(hands) > HANDS_MAX + 1"),
    Slip("base_game", "len(told) != len(hands)", "len(told) > len(hands)"),
    Slip("base_game", "default=0)) > wager.amount_cents", "default=0)) >= wager.amount_cents"),
    Slip("base_game", 'dealer[0][0] != "A"', 'dealer[1][0] != "A"'),
    Slip("base_game", "2 * seat.insurance_cents > wager", "2 * seat.insurance_cents >= wager"),
    Slip("base_game", "2 * seat.insurance_cents > wager", "seat.insurance_cents > wager"),
    Slip("base_game", "100 * seat.insurance_cents < wager", "100 * seat.insurance_cents <= wager"),
    Slip("base_game", "if len(hands) > 2:", "if len(hands) > 3:"),
    Slip(
        "base_game", "any(len(hand) > 2 for hand in hands)", "any(len(hand) > 3 for hand in hands)"
    ),
    Slip(
        "base_game", "if len(hands) == 1 and len(seat.cards) > 2 and", "if len(seat.cards) > 9 and"
    ),
    Slip("base_game", "doubled and (natural or len(hand) != 3)", "doubled and len(hand) > 3"),
    Slip("base_game", "gone and (natural or len(hand) != 2)", "gone and len(hand) != 2"),
    Slip("base_game", "stake = wager.amount_cents + doubled", "stake = wager.amount_cents"),
    Slip("base_game", "given_back_cents=stake // 2", "given_back_cents=(stake + 1) // 2"),
    Slip("base_game", "place + 1 if split", "place if split"),
    Slip("base_game", "seat.surrendered and seat.surrendered[place]", "any(seat.surrendered)"),
    Slip("base_game", "insured = is_natural(dealer)", "insured = bool(dealer)"),
    Slip("base_game", "stake_cents=seat.insurance_cents", "stake_cents=wager.amount_cents"),
    Slip("base_game", "and all(seat.surrendered)", "and any(seat.surrendered)"),
    # --- lammers --------------------------------------------------------------------------------
    Slip("lammers", 'if use == "before_deal"', 'if use == "after_hand"'),
    Slip("lammers", "has_blackjack(seat) or all", "all"),
    Slip("lammers", "has_blackjack(seat) or all", "has_blackjack(seat) or any"),
    Slip("lammers", "return sorted(wagered)", "return sorted(seats)"),
    Slip("lammers", "if seat in seats and ", "if "),
]
