"""What the dealer has to do about an award now."""

from progressive.domain.state.award_state import Award


def what_to_do(award: Award) -> tuple[str, str]:
    """The dealer's part in an award, in a word and in words.

    NJ 13:69F-2.28(g)3 and (h): a supervisor validates before anything is paid, and the cards "shall
    not be collected until the necessary documentation has been completed".
    """
    hold = f"hold the cards of seat {award.made.seat}"
    if award.status == "paid" and award.made.pays_from == "rack":
        who = "" if award.validated_by is None else f"confirmed by {award.validated_by.name}: "
        return "pay", f"{who}pay from the rack"
    if award.status == "paid":
        return "done", f"paid, {award.document}: collect the cards"
    if award.status == "void":
        return "void", "void: nothing is paid"
    if award.void_proposed_by is not None:
        return "hold", f"{hold}: a void is proposed"
    if award.awaits_round:
        return "hold", f"{hold}: a supervisor confirms, then pay from the rack"
    if award.status == "pending":
        return "hold", f"{hold}: supervisor"
    if (missing := award.made.approvers - len(award.approved_by)) > 0:
        approvals = "approval" if missing == 1 else "approvals"
        return "hold", f"{hold}: validated, {missing} more {approvals}"
    return "hold", f"{hold}: validated, being paid"
