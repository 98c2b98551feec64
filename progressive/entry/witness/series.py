"""The Prometheus series of a witness, read when somebody asks."""

from collections.abc import Iterator

from progressive.application.witness.ports import Seen
from progressive.application.witness.witness import Witness
from progressive.runtime.series import Series, build_info, counter, gauge


def witness_series(witness: Witness) -> list[Series]:
    """What it has cosigned and refused."""

    def seen() -> Iterator[tuple[tuple[str, ...], Seen]]:
        for origin, each in witness.seen.items():
            yield (origin,), each

    return [
        build_info("witness_build_info"),
        gauge(
            "witness_log_records",
            "Records of a log that were cosigned",
            lambda: [(names, each.checkpoint.size) for names, each in seen()],
            "origin",
        ),
        gauge(
            "witness_log_cosigned_timestamp_seconds",
            "When a checkpoint of a log was last cosigned",
            lambda: [(names, each.time) for names, each in seen()],
            "origin",
        ),
        counter(
            "witness_answers",
            "Answers to add-checkpoint, by status",
            lambda: [((str(each),), count) for each, count in witness.answers.items()],
            "status",
        ),
        counter(
            "witness_refused",
            "Signed checkpoints that do not extend what was cosigned, by kind",
            lambda: [((kind,), count) for kind, count in witness.refused.items()],
            "kind",
        ),
    ]
