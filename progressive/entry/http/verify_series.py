"""The Prometheus series of the verification in the background."""

from datetime import datetime

from progressive.application.link.verifying import Verifying
from progressive.runtime.series import Series, gauge


def verify_series(verifying: Verifying) -> list[Series]:
    """Read when somebody asks; all are 0 until the whole past was verified once."""

    def at() -> float:
        last = verifying.last
        return 0 if last is None else datetime.fromisoformat(last.at).timestamp()

    return [
        gauge(
            "progressive_verified_timestamp_seconds",
            "When the whole past of the journals was last verified in the background",
            lambda: [((), at())],
        ),
        gauge(
            "progressive_verify_seconds",
            "How long the last verification in the background took",
            lambda: [((), 0 if verifying.last is None else verifying.last.seconds)],
        ),
        gauge(
            "progressive_verify_findings",
            "What the last verification in the background found wrong",
            lambda: [((), 0 if verifying.last is None else verifying.last.findings)],
        ),
    ]
