"""The few words a floor chooses from, as files, messages and the journal spell them."""

from typing import Literal

DealerProcedure = Literal["card_reader", "hole_face_up", "no_peek"]
Soft17 = Literal["hit", "stand"]
PaymentOrder = Literal["counter_clockwise", "clockwise", "equal_share"]
AwardRounding = Literal["nearest", "down", "up"]
Validation = Literal["meters", "every", "from_amount"]
"""Which awards a supervisor validates before they are paid (N.J.A.C. 13:69F-2.28(g)3): those of
meters and those above the rack's limit; every one; or from an amount on."""
OverflowPolicy = Literal["to_reset_meter", "stay"]
"""What becomes of an overflow meter when its meter is reset."""
Lammers = Literal["before_deal", "after_hand"]
"""When the dealer marks a side bet that stays in action (ARSD 20:18:15:30.07(6)): on every one
before the deal, or on those of players who have busted or have a blackjack."""
HouseMoney = Literal["memo", "accrue"]
"""The house's own money on a meter in the books: no liability while it need not be paid, or an
expense and a liability as soon as it is put there."""
SignLayout = Literal["meters", "strip", "paytable"]
"""Amounts on a screen of any shape; on a low, wide LED strip; or the posted pay lines and rules."""
SignTheme = Literal["midnight", "deco", "neon", "ivory"]
SignLanguage = Literal["en", "es", "zh"]
