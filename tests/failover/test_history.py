"""The checker finds each kind of thing that may not be; otherwise a drill would prove nothing."""

import pytest

from tests.failover.history import Call, Read, problems

NEVER = float("inf")
GOOD = [
    Call("A", 1, 0.0, 1.0, "ok", 5),
    Call("B", 1, 0.5, 2.0, "ok", 6),
    Call("A", 2, 1.5, 3.0, "ok", 7),
    Call("B", 2, 2.5, 2.6, "refused"),
    Call("B", 2, 3.0, NEVER, "unknown"),
]
JOURNAL = {4: ("", 0), 5: ("A", 1), 6: ("B", 1), 7: ("A", 2), 8: ("B", 2)}
READS = [Read(0.2, 0.3, 4), Read(1.1, 1.2, 5), Read(3.5, 3.6, 7)]


def test_good_history_has_no_problem() -> None:
    assert list(problems(GOOD, READS, JOURNAL)) == []
    without = {seq: message for seq, message in JOURNAL.items() if seq != 8}
    assert list(problems(GOOD, READS, without)) == []


@pytest.mark.parametrize(
    ("calls", "reads", "journal", "says"),
    [
        ([], [], {5: ("B", 1)}, "('A', 1) was answered with record 5, which is not it"),
        ([], [], {9: ("A", 1)}, "('A', 1) is stored 2 times"),
        (
            [Call("C", 1, 0.0, 0.1, "refused")],
            [],
            {9: ("C", 1)},
            "('C', 1) was refused, and is stored",
        ),
        (
            [Call("C", 1, 4.0, 5.0, "ok", 3)],
            [],
            {3: ("C", 1)},
            "record 3 of C was sent after record 7 was answered",
        ),
        ([], [Read(2.1, 2.2, 5)], {}, "record 6 was answered, and a later look showed 5"),
    ],
    ids=["another record", "twice", "refused and stored", "order", "stale"],
)
def test_each_kind_is_found(
    calls: list[Call], reads: list[Read], journal: dict[int, tuple[str, int]], says: str
) -> None:
    assert says in list(problems([*GOOD, *calls], [*READS, *reads], JOURNAL | journal))
