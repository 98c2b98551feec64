"""The Prometheus series of seals and witnesses."""

from collections.abc import Callable, Iterable

from progressive.application.clock import Clock
from progressive.application.seals.sealing import LinkSealing, Sealing, WitnessStatus
from progressive.runtime.series import Read, Series, counter, gauge

Value = tuple[tuple[str, ...], float]


def seal_series(sealing: Callable[[], Sealing | None], clock: Clock) -> list[Series]:
    """Read when somebody asks; none where there is no key, or no witness."""

    def of_links(number: Callable[[LinkSealing], float]) -> Read:
        def read() -> Iterable[Value]:
            now = sealing()
            return [] if now is None else [((k,), number(v)) for k, v in now.links.items()]

        return read

    def of_witnesses(number: Callable[[WitnessStatus], float]) -> Read:
        def read() -> Iterable[Value]:
            now = sealing()
            links = {} if now is None else now.links
            return [
                ((link, name), number(status))
                for link, of in links.items()
                for name, status in of.witnesses.items()
            ]

        return read

    return [
        gauge(
            "progressive_sealed_records",
            "Records that the newest seal covers",
            of_links(lambda of: of.size),
            "link",
        ),
        gauge(
            "progressive_sealed_seconds_ago",
            "Since the journal was sealed last, or the start of the process",
            of_links(lambda of: clock.monotonic() - of.sealed_monotonic),
            "link",
        ),
        counter(
            "progressive_sealing_failures",
            "Attempts to seal that failed",
            of_links(lambda of: of.failures),
            "link",
        ),
        gauge(
            "progressive_witnessed_records",
            "Records that the witness has cosigned",
            of_witnesses(lambda of: of.size),
            *("link", "witness"),
        ),
        gauge(
            "progressive_witnessed_seconds_ago",
            "Since the witness agreed last, or the start of the process",
            of_witnesses(lambda of: clock.monotonic() - of.agreed_monotonic),
            *("link", "witness"),
        ),
        counter(
            "progressive_witness_failures",
            "Questions to the witness that it did not answer, or answered with no",
            of_witnesses(lambda of: of.failures),
            *("link", "witness"),
        ),
    ]
