"""Which folder may import which: the allow-lists, and what each kind of module must not name.

`domain` ← `application` ← `adapters` ← `entry`; `wire` sees `domain` only. A new folder sees
nothing until it is listed here, and a moved file falls under the rules of where it lies now.
"""


def inside(layer: str, *folders: str) -> set[str]:
    """Folders of one layer, the layer's own flat modules not included."""
    return {f"progressive.{layer}.{folder}" for folder in folders}


KERNEL = {"progressive.domain"}
"""The flat modules of the domain: units, ids, cards, and the language of commands and events."""
RULEBOOK = inside("domain", "rulebook")
GAMES = inside("domain", "games")
AWARDS = inside("domain", "awards")
STATE = inside("domain", "state")
DECIDE = inside("domain", "decide")
PEOPLE = inside("domain", "people")
ODDS = inside("domain", "odds")
DOMAIN = KERNEL | RULEBOOK | GAMES | AWARDS | STATE | DECIDE | PEOPLE | ODDS

CLOCK = {"progressive.application"}
"""The one flat module of the use cases: the port for time."""
JOURNAL = inside("application", "journal")
LINK = inside("application", "link")
USE_CASES = CLOCK | inside(
    "application",
    *("awards", "finance", "finance.book", "finance.closing", "finance.desk"),
    *("finance.pack", "finance.questions", "finance.reports", "finance.stated"),
    *("floor", "journal", "keys", "link", "people", "seals", "settle_tool", "shared", "signs"),
    "witness",
)
COMMON = {"progressive.common"}
"""Small helpers without a subject: for everybody but the domain."""
WIRE = {"progressive.wire"}
LIVE = {"progressive.live"} | inside("live", "entrance")
RUNTIME = {"progressive.runtime"}
CLIENT = {"progressive.client"}
ADAPTERS = {"progressive.adapters"} | inside(
    "adapters",
    *("audit_pack", "backup", "bookkeeping", "config", "keys", "memory", "redis", "reports"),
    *("seals", "segments", "sqlite"),
    *("reports.charts", "reports.figures", "reports.ledgers", "reports.pdf", "reports.xlsx"),
    "witness",
)
VERIFIER = {"progressive.verifier"} | inside(
    "verifier", "program", "proof", "reading", "recorded", "rules"
)
"""The auditor's program: only the commands see it."""
REPORT = inside("application", "finance") | KERNEL
"""What the formats of reports see of our own code: the value, and the units of money."""
SIGN_SERVER = {"display", "display.home", "display.led"}
ROUTES = inside("entry", "http", "people")
"""What the pages of every noun share."""
INNER = COMMON | DOMAIN | USE_CASES | WIRE | LIVE | RUNTIME | ADAPTERS | SIGN_SERVER | ROUTES

# What a folder may import of our own code, besides itself.
MAY_SEE: dict[str, set[str]] = {
    "progressive": {"progressive.entry"},
    # The domain. The fold (`state`) and the decisions (`decide`) share data, and one direction.
    "progressive.domain": RULEBOOK,
    "progressive.domain.rulebook": KERNEL,
    "progressive.domain.people": KERNEL,
    "progressive.domain.games": KERNEL | RULEBOOK,
    "progressive.domain.awards": KERNEL | RULEBOOK | GAMES,
    "progressive.domain.state": KERNEL | RULEBOOK | AWARDS,
    # Other terms are held against the exact odds of meters that have grown.
    "progressive.domain.decide": KERNEL | RULEBOOK | GAMES | AWARDS | PEOPLE | STATE | ODDS,
    "progressive.domain.odds": KERNEL | RULEBOOK | GAMES,
    # Helpers without a subject.
    "progressive.common": set(),
    # Use cases.
    "progressive.application": set(),
    "progressive.application.journal": CLOCK | KERNEL | RULEBOOK,
    "progressive.application.link": CLOCK
    | JOURNAL
    | KERNEL
    | RULEBOOK
    | STATE
    | DECIDE
    | inside("application", "seals"),
    "progressive.application.shared": CLOCK | JOURNAL | LINK | KERNEL,
    "progressive.application.awards": JOURNAL
    | KERNEL
    | RULEBOOK
    | STATE
    | inside("application", "seals"),
    "progressive.application.finance": JOURNAL | KERNEL | RULEBOOK | STATE,
    # A saved state is the link's; what records mean for a day is finance's own.
    "progressive.application.finance.book": JOURNAL | LINK | KERNEL | RULEBOOK | STATE,
    # What people entered and closed: a saved state knows it.
    "progressive.application.finance.stated": JOURNAL
    | LINK
    | KERNEL
    | STATE
    | inside("application", "finance"),
    # Hold is held against the exact odds.
    "progressive.application.finance.reports": inside(
        "application", "finance", "finance.book", "finance.stated"
    )
    | STATE
    | (JOURNAL | KERNEL | RULEBOOK | GAMES | ODDS),
    # What a day comes to, and what keeps it open.
    "progressive.application.finance.closing": inside(
        "application", "finance", "finance.book", "finance.stated", "finance.reports"
    )
    | (JOURNAL | KERNEL),
    "progressive.application.finance.questions": inside(
        "application",
        *("finance", "finance.book", "finance.closing", "finance.stated", "finance.reports"),
        "signs",
    )
    | (JOURNAL | KERNEL | RULEBOOK | STATE),
    # A pack holds what lies apart: reports, sheets, seals.
    "progressive.application.finance.pack": inside(
        "application", "finance", "finance.book", "finance.stated", "finance.reports"
    )
    | inside("application", "awards", "seals")
    | (JOURNAL | KERNEL | STATE),
    # Its port, and the books that are kept warm behind it.
    "progressive.application.finance.desk": inside(
        *("application", "finance", "finance.book", "finance.stated", "finance.reports"),
        "finance.questions",
    )
    | (CLOCK | JOURNAL | KERNEL | STATE),
    "progressive.application.keys": KERNEL,
    "progressive.application.people": CLOCK | COMMON | JOURNAL | KERNEL | PEOPLE,
    "progressive.application.floor": CLOCK
    | JOURNAL
    | inside("application", "people")
    | KERNEL
    | PEOPLE,
    "progressive.application.signs": COMMON | CLOCK | JOURNAL | KERNEL | RULEBOOK,
    "progressive.application.seals": CLOCK | JOURNAL | KERNEL,
    # The witness knows signed notes, and neither a journal nor the domain.
    "progressive.application.witness": CLOCK | inside("application", "seals"),
    "progressive.application.settle_tool": KERNEL | RULEBOOK | GAMES | AWARDS,
    # The auditor's program: one direction within it, and nothing of ours from outside.
    "progressive.verifier": inside("verifier", "recorded", "rules", "program"),
    "progressive.verifier.proof": set(),
    "progressive.verifier.recorded": set(),
    "progressive.verifier.rules": {"progressive.verifier"} | inside("verifier", "recorded"),
    "progressive.verifier.reading": {"progressive.verifier"}
    | inside("verifier", "proof", "recorded", "rules"),
    "progressive.verifier.program": VERIFIER,
    # The protocol, fan-out, and what a process starts with.
    "progressive.wire": KERNEL | RULEBOOK | STATE,
    "progressive.live": COMMON | WIRE | inside("live", "entrance"),
    "progressive.live.entrance": COMMON | RUNTIME,
    "progressive.runtime": {"progressive"},
    # Technologies.
    "progressive.adapters": COMMON | USE_CASES | DOMAIN,
    "progressive.adapters.audit_pack": USE_CASES
    | KERNEL
    | inside("adapters", "reports", "reports.figures", "reports.ledgers", "reports.pdf", "seals"),
    "progressive.adapters.backup": COMMON
    | USE_CASES
    | KERNEL
    | {"progressive.adapters"}
    | inside("adapters", "seals", "segments", "sqlite"),
    "progressive.adapters.bookkeeping": COMMON | inside("application", "finance.desk"),
    "progressive.adapters.config": KERNEL | RULEBOOK | GAMES,
    "progressive.adapters.keys": USE_CASES | KERNEL,
    "progressive.adapters.memory": USE_CASES | KERNEL,
    "progressive.adapters.redis": USE_CASES | KERNEL | PEOPLE | inside("adapters", "keys"),
    "progressive.adapters.reports": REPORT
    | inside("adapters", "reports.charts", "reports.figures", "reports.pdf", "reports.xlsx"),
    "progressive.adapters.reports.charts": REPORT | inside("adapters", "reports.figures"),
    "progressive.adapters.reports.figures": REPORT,
    "progressive.adapters.reports.pdf": REPORT
    | inside("adapters", "reports.charts", "reports.figures"),
    "progressive.adapters.reports.ledgers": REPORT | inside("application", "finance.reports"),
    "progressive.adapters.reports.xlsx": REPORT | inside("adapters", "reports.figures"),
    "progressive.adapters.seals": COMMON | USE_CASES | KERNEL | {"progressive.adapters"},
    "progressive.adapters.segments": COMMON | USE_CASES | KERNEL | {"progressive.adapters"},
    "progressive.adapters.sqlite": USE_CASES | KERNEL | PEOPLE | inside("adapters", "segments"),
    "progressive.adapters.witness": COMMON
    | inside("application", "seals", "witness")
    | {"progressive.adapters"},
    # The outermost layer. A noun sees the shared routes, not its neighbours.
    "progressive.entry": INNER
    | {"progressive"}
    | inside("entry", "awards", "pit", "signs", "table", "finance"),
    "progressive.entry.http": INNER,
    "progressive.entry.people": INNER,
    "progressive.entry.table": INNER,
    "progressive.entry.pit": INNER,
    "progressive.entry.signs": INNER | inside("entry", "pit"),
    "progressive.entry.awards": INNER,
    "progressive.entry.finance": INNER,
    "progressive.entry.witness": CLOCK
    | COMMON
    | LIVE
    | RUNTIME
    | WIRE
    | {"display", "progressive.adapters"}
    | inside("application", "seals", "witness")
    | inside("adapters", "seals", "witness")
    | inside("entry", "http"),
    "progressive.entry.odds": DOMAIN | {"progressive.montecarlo"},
    "progressive.entry.commands": INNER
    | VERIFIER
    | {"progressive", "progressive.entry", "progressive.simulator"}
    | inside("entry", "finance", "odds", "pit", "witness"),
    # What makers of table controllers build on.
    "progressive.client": COMMON | KERNEL | WIRE | RUNTIME,
    # Strangers who know the protocol, and checks that share nothing with what they check.
    "progressive.simulator": COMMON | KERNEL | WIRE | RUNTIME | CLIENT,
    "progressive.montecarlo": KERNEL,
    "display": COMMON | WIRE | LIVE | RUNTIME | {"display.home"},
    "display.home": {"display"} | WIRE,
    "display.led": {"display"} | COMMON | WIRE | LIVE | RUNTIME,
}

# The domain is pure: what it must not even name.
IMPURE_MODULES = {
    "asyncio", "time", "random", "logging", "secrets", "os", "io", "pathlib", "socket", "sqlite3",
    "threading", "subprocess", "aiohttp", "redis", "uuid", "locale",
}  # fmt: skip
CLOCK_CALLS = {"now", "utcnow", "today", "fromtimestamp"}
MAY_DIVIDE = ODDS
"""Odds are fractions. Anywhere else in the domain, `/` would make a float of money."""

# Use cases know asyncio, never a driver.
DRIVERS = {"aiohttp", "sqlite3", "redis", "prometheus_client", "click", "rich", "socket", "uvloop"}

# Where things are stored is chosen in one place a noun: all else in `entry` sees the ports, so that
# another engine can hold what a node stores.
ENGINES = inside("adapters", "keys", "memory", "redis", "sqlite")
WIRING = {
    "progressive.entry.archiver",
    "progressive.entry.bookkeeper",
    "progressive.entry.bootstrap",
    "progressive.entry.node_stores",
    "progressive.entry.sealer",
    "progressive.entry.signs.signs",
    "progressive.entry.stores",
}
"""Besides the commands, which are programs of their own."""
