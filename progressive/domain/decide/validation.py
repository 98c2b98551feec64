"""A supervisor has seen light and cards: one award to be paid against a document, or a whole round
whose fixed awards the rack pays then (NJ 13:69F-2.28(g)3).
"""

from progressive.domain.acts import ValidateAward, ValidateRound
from progressive.domain.award_events import AwardValidated, RoundValidated
from progressive.domain.people.names import same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award
from progressive.domain.state.link_state import LinkState


def validate(state: LinkState, award: Award, act: ValidateAward) -> AwardValidated | Refusal:
    """NJ 13:69F-2.28(g)3: the light and the cards were checked when the award was made."""
    if award.status != "pending":
        return wrong_status(award, "only a pending award is validated")
    if award.void_proposed_by is not None:
        return wrong_status(award, "a void is proposed: withdraw it or approve it first")
    if award.made.pays_from == "rack":
        how = f"confirm it with its round, {award.round} at {award.table}"
        return wrong_status(award, f"the rack pays it: {how}")
    if (refusal := _dealt_it(state, award, act.by)) is not None:
        return refusal
    return AwardValidated(award=act.award, by=act.by, meters=state.primaries)


def validate_round(
    state: LinkState, rules: LinkRules, act: ValidateRound
) -> RoundValidated | Refusal:
    """NJ 13:69F-2.28(g)3, for all fixed awards of a round at once; then the rack pays them.

    A table that has left the floor still owes what it won.
    """
    waiting = [
        award
        for award in state.awards.values()
        if (award.table, award.round) == (act.table, act.round) and award.awaits_round
    ]
    names = tuple([award.made.award for award in waiting])
    if not waiting and act.table not in rules.seats:
        return Refusal(Rejection.UNKNOWN_TABLE, f"{rules.id} has no table {act.table!r}")
    if not waiting:
        return Refusal(
            Rejection.WRONG_STATUS,
            f"no award of round {act.round} at {act.table} waits for a supervisor",
        )
    if act.awards is not None and sorted(act.awards) != sorted(names):
        return Refusal(
            Rejection.WRONG_STATUS, f"other awards of round {act.round} wait now: look again"
        )
    for award in waiting:
        if (refusal := _dealt_it(state, award, act.by)) is not None:
            return refusal
    return RoundValidated(
        table=act.table,
        round=act.round,
        awards=names,
        cents=sum([award.made.due_cents for award in waiting]),
        by=act.by,
        meters=state.primaries,
    )


def _dealt_it(state: LinkState, award: Award, by: Signature) -> Refusal | None:
    """Nobody validates what she dealt, or at the table where she deals now."""
    for dealer in (award.dealt_by, state.dealers.get(award.table)):
        if dealer is not None and same_person(dealer, by):
            return Refusal(
                Rejection.DEALER_OF_TABLE, f"{by.name} deals at {award.table}: somebody else"
            )
    return None


def wrong_status(award: Award, why: str) -> Refusal:
    """The award's status does not allow it, and why."""
    return Refusal(Rejection.WRONG_STATUS, f"award {award.made.award} is {award.status}: {why}")
