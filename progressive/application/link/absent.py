"""Links that have a journal and stand in no floor file any more: their money does not go with them.

Such a link is listed as inoperable, with what it holds, until it is put back or retired, and its
last gaming day is closed. Nobody can wager on it, as it has no tables; what people still have to
do, such as paying its awards, goes on.
"""

from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.ports import JournalReader, StoreError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.journal.segments import LANDMARKS
from progressive.application.link.memory import Memory
from progressive.application.link.replay import replay
from progressive.domain.events import FloorRecorded, LinkOpened, LinkReopened
from progressive.domain.ids import LinkId
from progressive.domain.money import MICROCENTS_PER_CENT, money_text
from progressive.domain.person_events import LinkRetired, TermsChanged
from progressive.domain.rulebook.rules import FloorRules, LinkRules, LinkTerms
from progressive.domain.state.ledger import PARKED, meter_accounts
from progressive.domain.state.link_state import LinkState


async def absent_links(
    journal: JournalReader, floor: FloorRules, memory: Memory
) -> tuple[LinkRules, ...]:
    """The links of a store that the floor file does not name, made from their recorded terms.

    Also those that are remembered only: their journal is lost, and nobody else would say so.
    Raises StoreError where the store cannot be asked.
    """
    named = {link.id for link in floor.links}
    marks = await memory.marks()
    committed = [link for link, mark in marks.items() if mark is None or not mark.retired]
    left = [link for link in sorted({*committed, *await journal.links()}) if link not in named]
    return tuple([rules for link in left if (rules := await _absent(journal, link)) is not None])


async def _absent(journal: JournalReader, link: LinkId) -> LinkRules | None:
    try:
        terms, retired_at = await _recorded(journal, link)
        if retired_at and _is_done_with((await replay(journal, link)).state, retired_at):
            # Its money is parked, and its journal says where it came from: it may go.
            return None
    except (StoreError, JournalBrokenError):
        # Taking it over finds the same, and says so wherever the link is listed.
        terms = None
    if terms is None:
        terms = LinkTerms(decks=1, dealer_procedure="no_peek", soft17="stand", bets=())
    house = terms.house
    return LinkRules(
        id=link,
        name=link if house is None else house.name or link,
        terms=terms,
        tables=(),
        currency="" if house is None else house.currency,
        absent=True,
    )


def _is_done_with(state: LinkState, retired_at: str) -> bool:
    """Whether nobody has anything to do with a retired link any more.

    Where finance closes its gaming days, the last one is the day on which it was retired.
    """
    house = None if state.terms is None else state.terms.house
    if not state.retired or house is None or not state.days.last:
        return state.retired
    days = GamingDays.of(house.time_zone, house.gaming_day_starts)
    return state.days.is_closed(days.day_of(retired_at))


async def _recorded(journal: JournalReader, link: LinkId) -> tuple[LinkTerms | None, str]:
    """The newest terms, and when the link was retired: looked up, as taking over replays it."""
    terms, retired_at = None, ""
    end = await journal.journal_end(link)
    for stored in await journal.acts(link, after_seq=0, until_seq=end.seq, types=LANDMARKS):
        record = decode_record(stored)
        event = record.event
        if isinstance(event, LinkOpened | LinkReopened | TermsChanged | FloorRecorded):
            terms = event.terms or terms
        if isinstance(event, LinkRetired):
            retired_at = record.at
    return terms, retired_at


def held_cents(state: LinkState) -> int:
    """What lies on all parts of all meters, in whole cents."""
    meters = state.terms.meters if state.terms else ()
    accounts = [account for meter in meters for account in meter_accounts(meter.id)]
    return sum([state.balances[account] for account in accounts]) // MICROCENTS_PER_CENT


def absent_reason(rules: LinkRules, state: LinkState) -> str:
    """Why an absent link is out of service, with what is at stake."""
    held = money_text(held_cents(state), rules.currency)
    owed = sum([not award.final for award in state.awards.values()])
    in_play = [table for table, at_table in state.tables.items() if at_table.round is not None]
    parts = [f"link {rules.id} holds {held} and is not in the floor file"]
    if owed:
        parts.append(f"{owed} of its awards {'is' if owed == 1 else 'are'} open")
    if in_play:
        parts.append(f"rounds are open at {', '.join(sorted(in_play))}")
    return f"{'; '.join(parts)}: put it back or retire it"


def retired_reason(state: LinkState) -> str:
    """Why a retired link is out of service, for good."""
    house = None if state.terms is None else state.terms.house
    parked = state.balances.get(PARKED, 0) // MICROCENTS_PER_CENT
    amount = money_text(parked, "" if house is None else house.currency)
    retired = f"link {state.link} is retired, {amount} are parked"
    if state.days.last:
        return f"{retired}: finance closes its last day, and it leaves the floor file"
    return f"{retired}: take it out of the floor file"


def stranded_round(rules: LinkRules, state: LinkState) -> str | None:
    """A table that left the floor file, or lost seats, with a round open; None: there is none."""
    for table, at_table in sorted(state.tables.items()):
        opened = at_table.round
        if opened is None:
            continue
        seats = rules.seats.get(table)
        highest = max([wager.seat for wager in opened.wagers], default=0)
        if seats is None:
            what = f"table {table} is not among the tables of link {rules.id} in the floor file"
        elif highest > seats:
            what = f"table {table} has {seats} seats in the floor file, and a wager at {highest}"
        else:
            continue
        return (
            f"{what}, and its round {opened.round} is open: put it back as it was, settle or void "
            "the round, then change the floor file"
        )
    return None
