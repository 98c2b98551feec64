"""Where the terms in the journal and those of the floor file differ, in words an operator knows."""

from msgspec import structs

from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.rules import LinkTerms


def differing_terms(recorded: LinkTerms, configured: LinkTerms) -> list[str]:
    """Where two sets of terms differ, one line each.

    The order of bets and meters is one: the journal keeps amounts in that order. So is a name: by
    it players know which meter they play for.
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
    del flat["house"]
    if terms.house is not None:
        flat |= _of_house(terms.house)
    for bet in terms.bets:
        at = f"bet.{bet.id}"
        of_bet = structs.asdict(bet) | {"meters": " ".join(meter.id for meter in bet.meters)}
        flat |= {f"{at}.{key}": value for key, value in of_bet.items()}
        for meter in bet.meters:
            of_meter = structs.asdict(meter)
            flat |= {f"{at}.meter.{meter.id}.{key}": value for key, value in of_meter.items()}
    return flat


def _of_house(house: HouseTerms) -> dict[str, object]:
    """What stands in the floor file above its bets, by its names there."""
    flat = structs.asdict(house)
    for nested in ("policy", "rule_files", "meter_changes"):
        del flat[nested]
    policy = structs.asdict(house.policy)
    flat |= {
        "payment_approval": "; ".join(
            f"from {rule.from_day} "
            + ", ".join(f"{step.approvers} from {step.from_cents} cents" for step in rule.steps)
            + f" ({rule.clause})"
            for rule in policy.pop("approvals")
        )
        or "none",
        "tax_form": "; ".join(
            f"from {rule.from_day} {rule.form} at {rule.least_cents} cents and "
            f"{rule.least_multiple} times the wager ({rule.clause})"
            for rule in policy.pop("tax_forms")
        )
        or "none",
    }
    flat |= policy
    changes = structs.asdict(house.meter_changes)
    flat |= {f"meter_changes.{key}": value for key, value in changes.items()}
    return flat | {f"{file.kind} file {file.name}": file.sha256 for file in house.rule_files}
