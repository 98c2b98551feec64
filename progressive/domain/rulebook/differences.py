"""Where the terms in the journal and those of the floor file differ, in words an operator knows."""

from msgspec import structs

from progressive.domain.rulebook.rules import LinkTerms


def differing_terms(recorded: LinkTerms, configured: LinkTerms) -> list[str]:
    """Where two sets of terms differ, one line each; a changed display name is no difference.

    The order of bets and meters is one: the journal keeps amounts in that order.
    """
    old, new = _flat(recorded), _flat(configured)
    return [
        f"{key}: {old.get(key, 'nothing')} in the journal, {new.get(key, 'nothing')} in the floor"
        for key in sorted(old.keys() | new.keys())
        if old.get(key, "nothing") != new.get(key, "nothing")
    ]


def _flat(terms: LinkTerms) -> dict[str, object]:
    """The terms as dotted keys: what an operator would look for in the floor file."""
    flat = structs.asdict(terms) | {"bets": " ".join(bet.id for bet in terms.bets)}
    for bet in terms.bets:
        at = f"bet.{bet.id}"
        of_bet = structs.asdict(bet) | {"meters": " ".join(meter.id for meter in bet.meters)}
        flat |= {f"{at}.{key}": value for key, value in of_bet.items()}
        for meter in bet.meters:
            of_meter = structs.asdict(meter)
            del of_meter["name"]
            flat |= {f"{at}.meter.{meter.id}.{key}": value for key, value in of_meter.items()}
    return flat
