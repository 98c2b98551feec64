"""What the seals of a link prove, as lines for people: of the records here, and of no others."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from progressive.verifier.findings import shown
from progressive.verifier.report import LinkReport
from progressive.verifier.seals_report import LostSeal, SealsReport

NOT_SEALED: Final = "  not sealed"
NONE_HERE: Final = "  seals lie beside a journal: none is here"


def seals_told(report: LinkReport) -> Iterator[str]:
    """What somebody outside has of this journal."""
    seals = report.seals
    if seals is None:
        yield NONE_HERE if report.apart else NOT_SEALED
        yield from untried_told(report)
        return
    yield _sealed(report, seals)
    if seals.of_purged or seals.of_lost:
        yield (
            f"  seals without records: {seals.of_purged:,} of purged ones, {seals.of_lost:,} of "
            "lost ones"
        )
    for lost in _told_of(seals):
        yield _lost(lost)
    if not seals.signatures_checked:
        yield (
            "  warning: who signed the seals was not checked: give the house's public key with "
            "--key"
        )
    yield from _witnesses(report, seals)


def untried_told(report: LinkReport) -> Iterator[str]:
    """The keys that were given in vain: nobody may take their silence for a good answer."""
    keys = report.untried
    if keys is None:
        return
    yield "  warning: no seal is here to try the given keys on; give one with --seal"
    if keys.houses:
        yield f"  NOT known to be sealed by {' or '.join(keys.houses)}"
    if keys.witnesses:
        yield f"  NOT cosigned by {' or '.join(keys.witnesses)}"


def moment(seconds: int) -> str:
    """A time of a witness's clock."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"at second {seconds}"


def _sealed(report: LinkReport, seals: SealsReport) -> str:
    count = report.records - seals.sealed_seq
    open_ = f"{count:,} {'is' if count == 1 else 'are'} not sealed yet"
    if not seals.count:
        return f"  sealed: no seal is of records that are here; {open_}"
    one = seals.count == 1
    earlier = " and of logs before it" if seals.earlier_logs else ""
    return (
        f"  sealed: {seals.count:,} {'seal' if one else 'seals'} of {shown(seals.origin)}{earlier} "
        f"{'fits' if one else 'fit'} the records, up to record {seals.sealed_seq:,}; {open_}"
    )


def _told_of(seals: SealsReport) -> Iterator[LostSeal]:
    """Each that the auditor brought along; of the others the one that says most."""
    yield from [each for each in seals.lost if each.brought]
    others = [each for each in seals.lost if not each.brought]
    if others:
        yield max(others, key=lambda each: each.size)


def _lost(seal: LostSeal) -> str:
    whose = "your seal" if seal.brought else "seal"
    gone = seal.size - seal.left
    others = ", and whether the others are those that were sealed it cannot show any more"
    return (
        f"  {whose} {seal.file} is of {seal.size:,} records: {gone:,} of them "
        f"{'is' if gone == 1 else 'are'} gone, as two people accepted{others if seal.left else ''}"
    )


def _witnesses(report: LinkReport, seals: SealsReport) -> Iterator[str]:
    furthest = max([each.seq for each in seals.witnesses], default=0)
    for each in seals.witnesses:
        if each.seq >= report.records:
            yield f"  cosigned by {each.witness} up to record {each.seq:,}, {moment(each.at)}"
            continue
        whom = "anybody else" if each.seq == furthest else "it"
        yield (
            f"  cosigned by {each.witness} up to record {each.seq:,} of {report.records:,}, "
            f"{moment(each.at)}; the records behind it are not confirmed by {whom}"
        )
