"""Ledgers in plain text that their programs check: each closing is asserted, so that an outside
program proves the sums."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from progressive.adapters.reports.ledgers.batch import Batch, amount
from progressive.application.finance.reports.gl_entries import GlAccount, GlEntry

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9-]+")


def beancount(batch: Batch) -> bytes:
    """A file for beancount: accounts opened, entries, a `balance` directive after each day."""
    name, currency = _name, batch.currency or "USD"
    lines = [
        'option "title" "Progressive meters"',
        f'option "operating_currency" "{currency}"',
        f"; up to the record with hash {batch.head}",
        "",
    ]
    if batch.days:
        first = batch.days[0].day
        lines += [f"{first} open {each} {currency}" for each in _accounts(batch, name)]
        lines += ["", *_opening(batch, name, f'{first} * "opening balances"')]
    for day in batch.days:
        for entry in day.entries:
            lines += [
                f'{entry.day} * "{entry.memo}" ^{entry.number}',
                *_posted(entry, name, currency),
                "",
            ]
        after = (date.fromisoformat(day.day) + timedelta(days=1)).isoformat()
        lines += [
            f"{after} balance {name(account)}  {amount(cents)} {currency}"
            for account, cents in day.closing.items()
        ]
        lines.append("")
    return "\n".join(lines).encode()


def hledger(batch: Batch) -> bytes:
    """A file for hledger: entries, and after each day one of nothing that asserts every balance."""
    name, currency = _name, batch.currency or "USD"
    lines = [f"; up to the record with hash {batch.head}", f"commodity 1000.00 {currency}", ""]
    lines += [f"account {each}" for each in _accounts(batch, name)]
    if batch.days:
        lines += ["", *_opening(batch, name, f"{batch.days[0].day} * opening balances")]
    for day in batch.days:
        for entry in day.entries:
            lines += [
                f"{entry.day} * ({entry.number}) {entry.memo}",
                *_posted(entry, name, currency),
                "",
            ]
        if day.closing:
            lines.append(f"{day.day} * closing balances")
            lines += [
                f"    {name(account)}  0.00 {currency} = {amount(cents)} {currency}"
                for account, cents in day.closing.items()
            ]
            lines.append("")
    return "\n".join(lines).encode()


def _posted(entry: GlEntry, name: Callable[[GlAccount], str], currency: str) -> list[str]:
    return [f"    {name(line.account)}  {amount(line.cents)} {currency}" for line in entry.lines]


def _opening(batch: Batch, name: Callable[[GlAccount], str], head: str) -> Iterator[str]:
    """What stood there before the first of the days."""
    opening = {key: cents for key, cents in batch.days[0].opening.items() if cents}
    if not opening:
        return
    currency = batch.currency or "USD"
    yield head
    for account, cents in opening.items():
        yield f"    {name(account)}  {amount(cents)} {currency}"
    yield f"    Equity:Opening-Balances  {amount(-sum(opening.values()))} {currency}"
    yield ""


def _accounts(batch: Batch, name: Callable[[GlAccount], str]) -> list[str]:
    used = {name(line.account) for _, _, line in batch.lines}
    for day in batch.days:
        used |= {name(account) for account in (*day.opening, *day.closing)}
    return sorted(used | {"Equity:Opening-Balances"})


def _name(account: GlAccount) -> str:
    """Parts that begin with a capital letter or a digit, as beancount asks for."""
    parts = [_NOT_IN_A_NAME.sub("-", part) for part in account.path]
    return ":".join([part[:1].upper() + part[1:] for part in parts])
