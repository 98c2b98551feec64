"""Which record opened a table's round."""

from progressive.domain.state.link_state import TableState


def locked_in(at_table: TableState) -> int:
    """The record that opened a table's round; where it is not known, any may be it."""
    for receipt in at_table.receipts:
        if receipt.event is at_table.round or receipt.event == at_table.round:
            return receipt.journal_seq
    return 0
