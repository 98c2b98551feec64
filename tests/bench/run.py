"""`make bench`: speed as ratios measured in one run, because figures do not travel.

The servers get one core, the load the other. Variants take turns, and the best of several turns
counts: a neighbour on the machine can only make a turn slower, never faster.
"""

import argparse

from rich.console import Console

from tests.bench.finance import bench_finance
from tests.bench.floods import bench_floods
from tests.bench.journal_acks import bench_acks
from tests.bench.journal_age import AGES, QUICK_AGES, bench_age
from tests.bench.never_read import bench_never_read
from tests.bench.processes import allow_many_files, keep_off_the_servers_core
from tests.bench.record_bytes import show_record_bytes
from tests.bench.shared_log import bench_shared_log
from tests.bench.signs import bench_burst, bench_flat_out, bench_many
from tests.bench.tables import bench_tables


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--only",
        choices=("tables", "signs", "floods", "journal", "finance", "redis"),
        help="one part of it",
    )
    options.add_argument("--quick", action="store_true", help="a single turn of each, and short")
    options.add_argument("--turns", type=int, default=5)
    given = options.parse_args()
    turns = 1 if given.quick else given.turns
    fewer = max(1, turns * 3 // 5)
    keep_off_the_servers_core()
    files = allow_many_files()
    console = Console(width=120)
    if given.only in (None, "floods"):
        bench_floods(console, turns=fewer, rounds=100 if given.quick else 300)
    if given.only in (None, "tables"):
        bench_tables(console, turns=turns, rounds=10 if given.quick else 40)
    if given.only in (None, "signs"):
        bench_flat_out(console, turns=turns, broadcasts=100 if given.quick else 300)
        bench_burst(console, turns=turns)
        bench_many(console, turns=fewer, broadcasts=20 if given.quick else 40, files=files)
        bench_never_read(console, turns=turns, broadcasts=100 if given.quick else 300, paced=20)
    if given.only in (None, "journal"):
        bench_age(console, turns=fewer, ages=QUICK_AGES if given.quick else AGES)
        bench_acks(console, turns=2 * turns + 1, records=400_000 if given.quick else 1_000_000)
        show_record_bytes(console)
    if given.only in (None, "finance"):
        records = 400_000 if given.quick else 1_000_000
        bench_finance(console, turns=fewer, quick=given.quick, records=records)
    if given.only in (None, "redis"):
        bench_shared_log(console, turns=fewer, rounds=10 if given.quick else 40)


if __name__ == "__main__":
    main()
