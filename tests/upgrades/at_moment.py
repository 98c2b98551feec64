"""The `progressive` command with a clock that begins at a given moment and then goes on.

    python -m tests.upgrades.at_moment 2026-01-02T03:04:05Z serve …

Sessions, locks and kept answers last minutes or hours, and the sign log is pruned by age: stored
data is only worth a test at the time it was left.
"""

import sys
import time
from datetime import UTC, datetime


def main() -> None:
    """Turn the clock before anything of the program is loaded, then run the command."""
    moment, *arguments = sys.argv[1:]
    began_at = datetime.fromisoformat(moment).timestamp()
    began = time.monotonic()

    def now() -> float:
        return began_at + time.monotonic() - began

    time.time = now

    from progressive.adapters.clock import SystemClock
    from progressive.entry.cli import main as command

    def wall_text(_: SystemClock) -> str:
        return datetime.fromtimestamp(now(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    SystemClock.wall = wall_text  # type: ignore[method-assign]
    sys.argv = ["progressive", *arguments]
    command(prog_name="progressive")


if __name__ == "__main__":
    main()
