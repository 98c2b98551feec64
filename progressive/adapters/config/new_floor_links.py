"""The links and signs of a first floor file for each jurisdiction: commented TOML, no code."""

from typing import Final

NJ_LINK: Final = """\
# The house's own steps of approval: from these amounts on, so many people of another department
# than the supervisor's must approve a payment. Take the section away where you have none.
[[payment_approval]]
from = "2026-01-01"
clause = "internal controls"
step = [
    { from_cents = 2500000, approvers = 1 },
    { from_cents = 5000000, approvers = 2 },
]

[[link]]                             # one journal, one set of meters, many tables
id = "main"                          # its name in messages, addresses and files; not to be changed
name = "Main pit"                    # its name for people
decks = 6                            # decks in the shoe: 6 or 8
dealer_procedure = "card_reader"     # card_reader | hole_face_up | no_peek
rack_limit_cents = 200000            # fixed awards below it are paid from the rack at once
soft17 = "hit"                       # what the dealer does on a soft 17: hit, by nj-buster

[[link.bet]]                         # a side bet offered at every table of the link
id = "blazing7"
game = "nj-blazing-7s"               # N.J.A.C. 13:69F-2.28
paytable = "3"                       # 1 and 2: one meter, progressive; 3: mega, major and minor
dealing_option = 1                   # 1: the player's first three cards; 2: two and the up card
wager_cents = 500                    # the one accepted amount: 100 or 500
payment_order = "counter_clockwise"  # counter_clockwise | clockwise | equal_share
award_rounding = "nearest"           # nearest (half up) | down | up, for shares below 100 percent

# The rates of all meters of a bet, displayed and reset, are 200000 ppm or more together
# (N.J.A.C. 13:69F-2.28(i)).
[[link.bet.meter]]                   # three 7s of diamonds
id = "mega"
name = "Mega"
rate_ppm = 120000                    # share of each wager that goes to the displayed meter
reset_rate_ppm = 10000               # share that goes to the hidden reset meter
initial_cents = 10000000             # what the house puts on the meter when the link opens
reset_cents = 2500000                # what the house puts on it at every reset
limit_cents = 0                      # above it, contributions go to the overflow meter; 0: no limit

[[link.bet.meter]]                   # three 7s of one suit, not diamonds
id = "major"
name = "Major"
rate_ppm = 60000
reset_rate_ppm = 5000
initial_cents = 1500000
reset_cents = 500000
limit_cents = 0

[[link.bet.meter]]                   # three 7s of one color
id = "minor"
name = "Minor"
rate_ppm = 40000
reset_rate_ppm = 5000
initial_cents = 300000               # 250000 or more
reset_cents = 250000                 # 250000 or more, the reset meter not counted
limit_cents = 0

[[link.bet]]                         # a bet that the dealer busts: fixed pays, no meter
id = "buster"
game = "nj-buster"                   # N.J.A.C. 13:69F-2.30
paytable = "A"                       # A to F
free_bonus = "B1"                    # B1 | B3: on top, for a player with a blackjack
min_cents = 100                      # 100 or more
max_cents = 10000                    # the house's limit
"""

_FIXED_PAYS: Final = """\
[[link]]                             # one journal, many tables; fixed pays only, so no meters
id = "main"                          # its name in messages, addresses and files; not to be changed
name = "Main pit"                    # its name for people
decks = 6                            # decks in the shoe: 1 to 8
"""

SD_LINK: Final = f"""\
{_FIXED_PAYS}dealer_procedure = "card_reader"     # card_reader | hole_face_up | no_peek
rack_limit_cents = 200000            # fixed awards below it are paid from the rack at once
soft17 = "hit"                       # what the dealer does on a soft 17: hit | stand

[[link.bet]]                         # a bet that the dealer busts
id = "buster"
game = "sd-buster"                   # ARSD 20:18:15:30.07
paytable = "A"                       # A to F
free_bonus = "B1"                    # B1 | B3: on top, for a player with a blackjack
min_cents = 100
max_cents = 10000                    # the house's limit
lammers = "before_deal"              # before_deal | after_hand: when the dealer marks the bets
"""

WA_LINK: Final = f"""\
{_FIXED_PAYS}dealer_procedure = "card_reader"     # card_reader | hole_face_up | no_peek
rack_limit_cents = 200000            # fixed awards below it are paid from the rack at once
soft17 = "hit"                       # what the dealer does on a soft 17: hit | stand

[[link.bet]]                         # a bet that the dealer busts
id = "buster"
game = "wa-buster"                   # WSGC, rules of play of 2014-06-25
paytable = "WA"
free_bonus = "B1"                    # B1 | B2 | B3: on top, for a player with a blackjack
free_bonus_min_cents = 500           # the least wager that earns it: 200 or more
min_cents = 100
max_cents = 10000                    # the house's limit
"""

CA_LINK: Final = f"""\
{_FIXED_PAYS}dealer_procedure = "no_peek"         # card_reader | hole_face_up | no_peek
rack_limit_cents = 200000            # fixed awards below it are paid from the rack at once
soft17 = "hit"                       # what the player-dealer does on a soft 17: hit

[[link.bet]]                         # a bet that the player-dealer busts
id = "buster"
game = "ca-101-blackjack-x"          # The 101 Casino, Buster Bet
paytable = "101"
min_cents = 100
max_cents = 10000                    # the house's limit

[[link.bet]]                         # a bet on jacks
id = "jack_magic"
game = "ca-101-blackjack-x"          # The 101 Casino, Jack Magic Bonus Bet
paytable = "101"
min_cents = 100
max_cents = 10000                    # the house's limit
"""

NJ_SIGNS: Final = """\
[[sign]]                             # a display that shows the meters of one link
id = "entrance"
link = "main"
name = "Entrance"                    # where it hangs, for people
layout = "meters"                    # meters | strip | paytable
theme = "midnight"                   # midnight | deco | neon | ivory
language = "en"                      # en | es | zh

"""

RULES_SIGN: Final = """\
[[sign]]                             # the posted pay lines of all bets
id = "rules"
link = "main"
name = "Pay lines beside the tables"
layout = "paytable"
"""
