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
    *("audit", "awards", "finance", "floor", "journal", "keys", "link", "people"),
    *("settle_tool", "signs"),
)
COMMON = {"progressive.common"}
"""Small helpers without a subject: for everybody but the domain."""
WIRE = {"progressive.wire"}
LIVE = {"progressive.live"} | inside("live", "entrance")
RUNTIME = {"progressive.runtime"}
ADAPTERS = {"progressive.adapters"} | inside(
    "adapters", "backup", "config", "keys", "memory", "redis", "reports", "segments", "sqlite"
)
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
    "progressive.application.audit": JOURNAL | KERNEL | RULEBOOK,
    "progressive.application.link": CLOCK | JOURNAL | KERNEL | RULEBOOK | STATE | DECIDE,
    "progressive.application.awards": JOURNAL | KERNEL | RULEBOOK | STATE,
    "progressive.application.finance": JOURNAL | KERNEL | RULEBOOK | STATE,
    "progressive.application.keys": KERNEL,
    "progressive.application.people": CLOCK | COMMON | JOURNAL | KERNEL | PEOPLE,
    "progressive.application.floor": inside("application", "people") | KERNEL | PEOPLE,
    "progressive.application.signs": COMMON | CLOCK | JOURNAL | KERNEL | RULEBOOK,
    "progressive.application.settle_tool": KERNEL | RULEBOOK | GAMES | AWARDS,
    # The protocol, fan-out, and what a process starts with.
    "progressive.wire": KERNEL | RULEBOOK | STATE,
    "progressive.live": COMMON | WIRE | inside("live", "entrance"),
    "progressive.live.entrance": COMMON | RUNTIME,
    "progressive.runtime": {"progressive"},
    # Technologies.
    "progressive.adapters": COMMON | USE_CASES | DOMAIN,
    "progressive.adapters.backup": COMMON
    | USE_CASES
    | KERNEL
    | {"progressive.adapters"}
    | inside("adapters", "segments", "sqlite"),
    "progressive.adapters.config": KERNEL | RULEBOOK | GAMES,
    "progressive.adapters.keys": USE_CASES | KERNEL,
    "progressive.adapters.memory": USE_CASES | KERNEL,
    "progressive.adapters.redis": USE_CASES | KERNEL | PEOPLE,
    "progressive.adapters.reports": inside("application", "finance") | KERNEL,
    "progressive.adapters.segments": COMMON | USE_CASES | KERNEL | {"progressive.adapters"},
    "progressive.adapters.sqlite": USE_CASES | KERNEL | PEOPLE | inside("adapters", "segments"),
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
    "progressive.entry.odds": DOMAIN | {"progressive.montecarlo"},
    "progressive.entry.commands": INNER
    | {"progressive", "progressive.entry", "progressive.simulator"}
    | inside("entry", "odds", "pit"),
    # Strangers who know the protocol, and checks that share nothing with what they check.
    "progressive.simulator": KERNEL | WIRE | RUNTIME,
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
    "progressive.entry.bootstrap",
    "progressive.entry.people.reception",
    "progressive.entry.signs.signs",
    "progressive.entry.stores",
}
"""Besides the commands, which are programs of their own."""

# The audit shares no code with the writer beyond the record format and plain data: a bug in one is
# caught by the other. Of the kernel it sees these modules and no others; it reads cards, rounds
# money and tells people apart by itself.
AUDIT_SEES_OF_THE_KERNEL = {
    f"progressive.domain.{name}"
    for name in (
        *(
            "award_events",
            "commands",
            "events",
            "guard_events",
            "ids",
            "money",
            "options",
            "person_events",
        ),
        "signatures",
    )
}
WORKED_OUT_BY_THE_RECORD = {"due_cents", "due_at", "terms_of", "policy_of"}
"""Properties of recorded values that compute what the audit has to compute."""
