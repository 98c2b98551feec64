"""What an LED sign says besides names and amounts, in its languages. Pure.

These signs draw no Chinese: a sign of that language speaks English.
"""

from typing import Final, Literal, NamedTuple

Language = Literal["en", "es", "zh"]

MINUTE_SECONDS: Final = 60
HOUR_SECONDS: Final = 3_600
DAY_SECONDS: Final = 86_400


class Words(NamedTuple):
    """One language. Capitals: across a room, seven dots high, they read best."""

    won: str
    share: str
    """Of a line that pays a part of the meter."""
    table: str
    seat: str
    next_amount: str
    goes_on: str
    """What is left of the meter after such a part."""
    old: str
    out_of_service: str
    waiting: str
    """Before the first word of the service."""
    nothing_kept: str
    """Beside the amounts of a service that stores nothing."""
    stopped: str
    """What the driver leaves behind when it is stopped."""


ENGLISH: Final = Words(
    won="{meter} WON!",
    share="{percent}% OF {meter}:",
    table="TABLE {table}",
    seat="SEAT {seat}",
    next_amount="STARTS AGAIN AT {amount}",
    goes_on="THE METER GOES ON AT {amount}",
    old="{age} OLD",
    out_of_service="OUT OF SERVICE",
    waiting="PLEASE WAIT - NO AMOUNTS YET",
    nothing_kept="TEST - NOTHING IS KEPT",
    stopped="OUT OF SERVICE - AMOUNTS NOT LIVE",
)
SPANISH: Final = Words(
    won="¡{meter} GANADO!",
    share="{percent}% DE {meter}:",
    table="MESA {table}",
    seat="PUESTO {seat}",
    next_amount="VUELVE A EMPEZAR EN {amount}",
    goes_on="EL CONTADOR SIGUE EN {amount}",
    old="HACE {age}",
    out_of_service="FUERA DE SERVICIO",
    waiting="ESPERE - AÚN SIN IMPORTES",
    nothing_kept="PRUEBA - NADA SE GUARDA",
    stopped="FUERA DE SERVICIO - IMPORTES NO ACTUALES",
)
WORDS: Final[dict[Language, Words]] = {"en": ENGLISH, "es": SPANISH, "zh": ENGLISH}


def age_text(seconds: float) -> str:
    """So old at the least, in steps that a slow line can follow: `20 S`, `3 MIN`, `2 H`, `1 D`."""
    whole = int(seconds)
    if whole < MINUTE_SECONDS:
        return f"{whole // 10 * 10} S"
    if whole < HOUR_SECONDS:
        return f"{whole // MINUTE_SECONDS} MIN"
    if whole < DAY_SECONDS:
        return f"{whole // HOUR_SECONDS} H"
    return f"{whole // DAY_SECONDS} D"
